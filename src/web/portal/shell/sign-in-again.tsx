'use client';
import { Button } from '#web/ui/button.tsx';
import { Wordmark } from '#web/ui/logo.tsx';
import { SignInSteps } from '../sign-in/sign-in-form.tsx';

type SignInAgainProps = {
  email: string;
  /** Whether the session is known to be over; else the service did not respond. */
  isKnown: boolean;
  onSignedIn: () => void;
  onOther: () => void;
};

/** Covers a page whose session has ended. */
export function SignInAgain({ email, isKnown, onSignedIn, onOther }: SignInAgainProps) {
  return (
    <div
      role="dialog"
      aria-modal
      aria-labelledby="sign-in-again"
      aria-describedby="sign-in-again-why"
      className="grid min-h-dvh place-items-center px-4 py-10"
    >
      <div className="w-full max-w-sm">
        <Wordmark />
        <h1 id="sign-in-again" className="mt-8 text-xl font-semibold tracking-tight">
          Sign in again
        </h1>
        <p id="sign-in-again-why" className="mt-1 mb-6 text-muted">
          {isKnown
            ? 'You are signed out, so this page is hidden. Sign in, and it is as you left it, with what you typed.'
            : 'Carelane does not respond, and your session may be over, so this page is hidden. It asks again by itself.'}
        </p>
        <SignInSteps email={email} onSignedIn={onSignedIn} />
        {/* Without a response the session may still be valid, and open the portal to the next person. */}
        {isKnown && (
          <div className="mt-6 border-t border-line pt-4">
            <p className="text-[13px] text-muted">Not you? This page and what was typed in it are then gone.</p>
            <Button className="mt-2" onClick={onOther}>
              Use another account
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}
