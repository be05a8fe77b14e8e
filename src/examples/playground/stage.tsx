'use client';
import { CodeXml } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { AppCard } from './app-card.tsx';
import { CodePanel } from './code-panel.tsx';
import { RequestsList } from './requests-list.tsx';
import { waitsForCode } from './screen.ts';
import { SentCode } from './sent-code.tsx';
import { useScreen } from './use-screen.ts';
import { useSession } from './use-session.ts';

/** The app on the left and its code and requests on the right; on a phone these are collapsed below the app. */
export function Stage({ code }: { code: Record<string, string> }) {
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
