'use client';
import { CircleCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import { EmptyState } from '#portal/ui/empty-state.tsx';
import { LogoMark } from '#portal/ui/logo.tsx';
import { credentials } from '#sdk/index.ts';
import { InvitationForm } from './invitation-form.tsx';

type Stage = 'opening' | 'form' | 'done' | 'incomplete';

/** The page behind an invitation: the patient's own password in place of the temporary one. */
export function Invitation() {
  const [stage, setStage] = useState<Stage>('opening');
  useEffect(() => {
    try {
      credentials.configure(window.location.hash.slice(1));
      setStage('form');
    } catch {
      setStage('incomplete');
    }
  }, []);
  return (
    <main className="flex-1">
      <LogoMark className="mb-6 size-7" />
      <h1 className="mb-1 text-xl font-semibold tracking-tight">Your invitation</h1>
      {stage === 'form' && <InvitationForm onDone={() => setStage('done')} />}
      {stage === 'incomplete' && (
        <EmptyState
          title="This link is incomplete"
          description="Open the whole link from your mail, or ask your clinic for a new invitation."
        />
      )}
      {stage === 'done' && (
        <div aria-live="polite">
          <EmptyState
            icon={CircleCheck}
            title="Your password is set"
            description="Sign in to your clinic's app with your e-mail address and your new password."
          />
        </div>
      )}
    </main>
  );
}
