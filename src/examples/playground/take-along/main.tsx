import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ThemeProvider } from '#web/ui/theme-provider.tsx';
import { AppCard } from '../app-card.tsx';
import { RequestsList } from '../requests-list.tsx';
import { configure } from '../steps/configure.ts';
import { useScreen } from '../use-screen.ts';
import { useSession } from '../use-session.ts';
import { TOKENS } from './tokens.ts';

function App() {
  const { session, reloadSession } = useSession();
  const [screen, go] = useScreen(session);
  return (
    <main className="mx-auto grid w-full max-w-md grid-cols-[minmax(0,1fr)] gap-6 px-4 py-6">
      <h1 className="sr-only">My clinic</h1>
      <AppCard {...{ screen, go, session, reloadSession }} />
      {/* For development: remove it from the app for patients. */}
      <RequestsList />
    </main>
  );
}

function NoTokens() {
  return (
    <main className="mx-auto max-w-md px-4 py-6">
      <h1 className="mb-2 text-lg font-semibold">Configure the app</h1>
      <p>
        Write the two configuration tokens of your clinic into <code>src/tokens.ts</code>. The portal shows them under
        API credentials; they are public.
      </p>
    </main>
  );
}

const isFilledIn = TOKENS.passwordless !== '' && TOKENS.credentials !== '';
if (isFilledIn) configure(TOKENS);
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <ThemeProvider>{isFilledIn ? <App /> : <NoTokens />}</ThemeProvider>
  </StrictMode>,
);
