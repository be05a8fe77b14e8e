'use client';
import { CircleCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import { firstErrorMessage, readApiErrors } from '../../ui/api-errors.ts';
import { BrokenLink } from '../../ui/broken-link.tsx';
import { Button } from '../../ui/button.tsx';
import { ClinicName } from '../../ui/clinic-look.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { callLinkApi } from '../../ui/links/link.ts';
import { LogoMark } from '../../ui/logo.tsx';

type Stage = { at: 'asking'; pending: boolean; error?: unknown } | { at: 'done' } | { at: 'over' };

/** The token format of our emails; other tokens are incomplete, so the page shows no button. */
const LINK_TOKEN = /^[\w-]{22}\.[\w-]{20,}$/;

/**
 * The page behind the email after many wrong passwords, for patients and staff: permits sign-in on new devices again.
 * The token is in the fragment, and nothing happens before the button is pressed, because mail programs open links too.
 */
export function NewDevices() {
  const [stage, setStage] = useState<Stage>({ at: 'asking', pending: false });
  useEffect(() => {
    if (!LINK_TOKEN.test(window.location.hash.slice(1))) setStage({ at: 'over' });
  }, []);

  async function reopen() {
    setStage({ at: 'asking', pending: true });
    try {
      await callLinkApi('signIn.reopen', window.location.hash.slice(1));
      setStage({ at: 'done' });
    } catch (error) {
      const isOver = ['expired_code', 'invalid_parameter'].includes(readApiErrors(error)[0].code);
      setStage(isOver ? { at: 'over' } : { at: 'asking', pending: false, error });
    }
  }
  if (stage.at === 'over')
    return (
      <main className="flex-1">
        <BrokenLink
          title="This link does not work any more"
          what="It is not complete, was used already, or is too old."
          next="Set a new password: that lets new devices sign in too."
        />
      </main>
    );
  return (
    <main className="flex-1">
      <header className="mb-6 flex items-center gap-2.5">
        <LogoMark className="size-7 shrink-0" />
        <ClinicName />
      </header>
      <h1 className="mb-1 text-xl font-semibold tracking-tight">Signing in on a new device</h1>
      {stage.at === 'asking' && (
        <>
          <p className="mb-4 text-muted">
            Someone tried many wrong passwords for your account. To protect it, your password now works only on devices
            that you have used before.
          </p>
          <p className="mb-6 text-muted">
            If you want to sign in on a new one, open this page on that device, or on the same Wi-Fi, and press the
            button. Then sign in there within an hour. Otherwise there is nothing to do.
          </p>
          {stage.error !== undefined && (
            <div className="mb-4">
              <FormError>{firstErrorMessage(stage.error)}</FormError>
            </div>
          )}
          <Button variant="primary" size="lg" pending={stage.pending} onClick={() => void reopen()}>
            Let new devices sign in
          </Button>
        </>
      )}
      <div aria-live="polite">
        {stage.at === 'done' && (
          <EmptyState
            icon={CircleCheck}
            title="New devices can sign in again"
            description="Sign in now with your password, on this device or on the same Wi-Fi, within an hour."
          />
        )}
      </div>
    </main>
  );
}
