'use client';
import { CodeXml, Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { LogoMark } from '#web/ui/logo.tsx';
import { SandboxBadge } from '#web/ui/sandbox-badge.tsx';
import { AppCard } from './app-card.tsx';
import { CodePanel } from './code-panel.tsx';
import { assertSameOrigin, clearTokens, readTokens, storeTokens, type Tokens } from './read-tokens.ts';
import { RequestsList } from './requests-list.tsx';
import { waitsForCode } from './screen.ts';
import { SentCode } from './sent-code.tsx';
import { configure } from './steps/configure.ts';
import { TokensForm } from './tokens-form.tsx';
import { useScreen } from './use-screen.ts';
import { useSession } from './use-session.ts';

type Opened = { is: 'opening' } | { is: 'closed'; error: unknown } | { is: 'open'; tokens: Tokens };

/** URL of the app's source code as a zip file, configured for the open clinic. */
const appOf = (opened: Opened): string =>
  opened.is === 'open' ? `/playground/app.zip?${new URLSearchParams(opened.tokens)}` : '/playground/app.zip';

type PlaygroundProps = {
  /** Contents of the files in steps/, by name. */
  code: Record<string, string>;
  /** The tokens of this sandbox's clinic, when there is only one. */
  clinic: Tokens | null;
};

/** A patient's app that only uses the SDK and the REST API, next to the code of each step. */
export function Playground({ code, clinic }: PlaygroundProps) {
  const [opened, setOpened] = useState<Opened>({ is: 'opening' });
  const open = (tokens: Tokens) => {
    configure(tokens);
    assertSameOrigin(tokens);
    setOpened({ is: 'open', tokens });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page is there
  useEffect(() => {
    const tokens = readTokens();
    try {
      if (tokens) open(tokens);
      else setOpened({ is: 'closed', error: null });
    } catch (error) {
      setOpened({ is: 'closed', error });
    }
  }, []);
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-6xl flex-col px-4 pb-10 md:px-6">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 py-4">
        <LogoMark className="size-7" />
        <h1 className="text-lg font-semibold tracking-tight">Playground</h1>
        <SandboxBadge className="max-sm:hidden" />
        <nav aria-label="Elsewhere" className="ml-auto flex flex-wrap items-center gap-1 max-sm:-ml-2.5">
          <Button asChild variant="ghost" size="sm">
            <a href="/docs">API reference</a>
          </Button>
          <Button asChild variant="secondary" size="sm">
            <a href={appOf(opened)} download>
              <Download aria-hidden className="max-sm:hidden" />
              Take this app with you
            </a>
          </Button>
          {opened.is === 'open' && (
            <Button
              variant="ghost"
              size="sm"
              onClick={() => {
                clearTokens();
                setOpened({ is: 'closed', error: null });
              }}
            >
              Other clinic
            </Button>
          )}
        </nav>
      </header>
      <main className="flex-1">
        <p className="mb-6 text-muted">
          A patient’s app that uses nothing but the SDK and the public REST API. Take a step, and read the code that
          ran.
        </p>
        {opened.is === 'closed' && (
          <TokensForm
            error={opened.error}
            clinic={clinic}
            onTokens={(tokens) => {
              open(tokens);
              storeTokens(tokens);
            }}
          />
        )}
        {opened.is === 'open' && <Stage code={code} />}
      </main>
    </div>
  );
}

/** The app on the left and its code and requests on the right; on a phone these are collapsed below the app. */
function Stage({ code }: { code: Record<string, string> }) {
  const { session, readAgain } = useSession();
  const [screen, go] = useScreen(session);
  const [first] = useState(screen);
  const [isShown, setShown] = useState(false);
  const sentTo = waitsForCode(screen);
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[25rem_minmax(0,1fr)] lg:gap-10">
      <div className="lg:sticky lg:top-6">
        {sentTo && <SentCode key={screen.at} to={sentTo} isReload={screen === first} />}
        <AppCard {...{ screen, go, session, readAgain }} />
      </div>
      <Button className="lg:hidden" aria-expanded={isShown} aria-controls="behind" onClick={() => setShown(!isShown)}>
        <CodeXml aria-hidden />
        {isShown ? 'Hide the code' : 'Show the code of this step'}
      </Button>
      <div id="behind" className={`grid grid-cols-[minmax(0,1fr)] gap-6 ${isShown ? '' : 'max-lg:hidden'}`}>
        <CodePanel screen={screen} code={code} />
        <RequestsList />
      </div>
    </div>
  );
}
