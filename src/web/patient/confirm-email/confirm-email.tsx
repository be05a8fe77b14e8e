'use client';
import { CircleCheck, Link2Off } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { RequestedEmailView } from '#contract/address-changes.ts';
import { firstErrorMessage } from '../../ui/api-errors.ts';
import { Button } from '../../ui/button.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { OpenedLink } from '../frame/opened-link.tsx';

const INVALID_TEXTS = {
  why: 'It may be cut off, have run out, or have been taken back.',
  askFor: 'to send you a new one',
};

/** The page behind the link in the email to a new address that staff entered: the address becomes active only here. */
export function ConfirmEmail() {
  return (
    <OpenedLink<RequestedEmailView>
      page="confirm-email"
      step="addressChanges.openAsked"
      title="Confirm your email address"
      invalidTexts={INVALID_TEXTS}
    >
      {(change, runStep) =>
        change.state === 'valid' ? (
          <Question change={change} confirm={() => runStep('addressChanges.confirmAsked')} />
        ) : (
          <Outcome change={change} />
        )
      }
    </OpenedLink>
  );
}

function Question({ change, confirm }: { change: RequestedEmailView; confirm: () => Promise<void> }) {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async () => {
    setPending(true);
    setError(null);
    await confirm().catch((failure) => {
      setError(failure);
      setPending(false);
    });
  };
  return (
    <div className="grid gap-5">
      <div>
        <h1 className="text-xl font-semibold tracking-tight text-balance">Is this your new email address?</h1>
        <p className="mt-2 text-muted wrap-anywhere">
          {change.clinic} wants to use {change.address} for your account from now on. Your password stays the same, and
          your old address gets an email.
        </p>
      </div>
      {error !== null && <FormError>{firstErrorMessage(error)}</FormError>}
      <Button variant="primary" size="lg" className="w-full" pending={pending} onClick={() => void submit()}>
        Yes, use this address
      </Button>
      <p className="text-[13px] text-muted">
        You can do this until <DateTime value={change.until} />. If you did not ask for it, just close this page:
        nothing changes.
      </p>
    </div>
  );
}

/** The state of the change. The heading takes the focus, so that a screen reader announces it. */
function Outcome({ change }: { change: RequestedEmailView }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const isDone = change.state === 'confirmed';
  const Icon = isDone ? CircleCheck : Link2Off;
  const tone = isDone ? 'bg-good-soft text-good-ink' : 'bg-neutral-soft text-neutral-ink';
  return (
    <div className="flex flex-col items-center py-10 text-center">
      <span className={`mb-4 grid size-14 place-items-center rounded-full ${tone}`}>
        <Icon aria-hidden className="size-7" />
      </span>
      <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight text-balance outline-none">
        {isDone ? 'Your new email address is confirmed' : 'This link does not work any more'}
      </h1>
      <p className="mt-2 max-w-sm text-balance text-muted wrap-anywhere">
        {isDone
          ? `From now on ${change.clinic} uses ${change.address}. You can close this page.`
          : `Nothing was changed. If this is your new address, ask ${change.clinic} to send you a new link.`}
      </p>
    </div>
  );
}
