'use client';
import { CodeXml } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#portal/ui/button.tsx';
import { AppCard } from './app-card.tsx';
import { CodePanel } from './code-panel.tsx';
import { RequestsList } from './requests-list.tsx';
import { useScreen } from './use-screen.ts';
import { useSession } from './use-session.ts';

type StageProps = { code: Record<string, string>; stripeScript: string | null };

/** The app on the left and what runs in it on the right; on a phone the latter folds under the former. */
export function Stage({ code, stripeScript }: StageProps) {
  const { session, readAgain } = useSession();
  const [screen, go] = useScreen(session.is === 'in' || session.is === 'out' ? session.is === 'in' : null);
  const [isShown, setShown] = useState(false);
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[25rem_minmax(0,1fr)] lg:gap-10">
      <AppCard {...{ screen, go, session, readAgain, stripeScript }} />
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
