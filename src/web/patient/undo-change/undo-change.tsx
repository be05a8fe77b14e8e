'use client';
import { CircleCheck, Link2Off, Lock } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { AddressChangeView } from '#contract/address-changes.ts';
import { firstErrorMessage } from '../../ui/api-errors.ts';
import { Button } from '../../ui/button.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { OpenedLink } from '../frame/opened-link.tsx';

const KIND_LABELS: Record<AddressChangeView['kind'], string> = {
  email: 'your email address',
  phone_number: 'your phone number',
};

export const addressLabel = ({ kind, address }: Pick<AddressChangeView, 'kind' | 'address'>): string =>
  kind === 'email' ? `the email address ${address}` : `the phone number that ends in ${address.replace(/\D/g, '')}`;

/** How the user signs in after the change was undone. */
const nextSignInMessage = ({ clinic, needs }: Pick<AddressChangeView, 'clinic' | 'needs'>): string =>
  needs === 'password'
    ? 'you sign in with your password, and choose a new one.'
    : `you sign in again with the help of ${clinic}, which makes sure that it is you.`;

/** The texts for a change that is undone or can no longer be undone. */
export function outcomeMessages(change: AddressChangeView): { title: string; text: string; next: string } {
  const { clinic, state, restored, needs } = change;
  if (state === 'over')
    return {
      title: 'This link does not work any more',
      text: 'It works for 72 hours, and not after an earlier change was undone or your clinic has helped you.',
      next: `If something is wrong with your account, contact ${clinic}.`,
    };
  const help = `To sign in again, contact ${clinic}. The team makes sure that it is you, and helps.`;
  if (!restored)
    return {
      title: 'Your account is safe, but locked',
      text: `Another account has ${addressLabel(change)} by now, so it could not be put back. Every device is signed out.`,
      next: help,
    };
  return {
    title: 'The change is undone',
    text: `Your account has ${addressLabel(change)} again, and every device is signed out.`,
    next:
      needs === 'clinic'
        ? help
        : needs === 'password'
          ? 'To sign in again, use your password in the app. You will be asked to choose a new one.'
          : 'You can sign in as usual.',
  };
}

const INVALID_TEXTS = {
  why: 'It is not complete, or is not one of ours.',
  askFor: 'for help if something is wrong with your account',
};

/**
 * The page behind the link that a replaced address receives: describes the effect of undoing the change, and undoes it.
 */
export function UndoChange() {
  return (
    <OpenedLink<AddressChangeView>
      page="undo"
      step="addressChanges.open"
      title="Undo a change"
      invalidTexts={INVALID_TEXTS}
    >
      {(change, runStep) =>
        change.state === 'valid' ? (
          <UndoQuestion change={change} undo={() => runStep('addressChanges.undo')} />
        ) : (
          <UndoOutcome change={change} />
        )
      }
    </OpenedLink>
  );
}

/** The state of the change. The heading takes the focus, so that a screen reader announces it. */
function UndoOutcome({ change }: { change: AddressChangeView }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { title, text, next } = outcomeMessages(change);
  const Icon = change.state === 'over' ? Link2Off : change.restored ? CircleCheck : Lock;
  const tone = change.restored ? 'bg-good-soft text-good-ink' : 'bg-neutral-soft text-neutral-ink';
  return (
    <div className="flex flex-col items-center py-10 text-center">
      <span className={`mb-4 grid size-14 place-items-center rounded-full ${tone}`}>
        <Icon aria-hidden className="size-7" />
      </span>
      <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight text-balance outline-none">
        {title}
      </h1>
      <p className="mt-2 max-w-sm text-balance text-muted">{text}</p>
      <p className="mt-3 max-w-sm text-balance font-medium">{next}</p>
    </div>
  );
}

type UndoQuestionProps = { change: AddressChangeView; undo: () => Promise<void> };

/** Describes the change and the effect of undoing it, with the button. */
function UndoQuestion({ change, undo }: UndoQuestionProps) {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async () => {
    setPending(true);
    setError(null);
    await undo().catch((failure) => {
      setError(failure);
      setPending(false);
    });
  };
  return (
    <div className="grid gap-5">
      <div>
        <h1 className="text-xl font-semibold tracking-tight text-balance">
          Was it you who changed {KIND_LABELS[change.kind]}?
        </h1>
        <p className="mt-2 text-muted">
          Until <DateTime value={change.changed_at} /> your account had {addressLabel(change)}. If you changed it
          yourself, there is nothing to do: just close this page.
        </p>
      </div>
      <section className="rounded-lg border border-line bg-surface p-4">
        <h2 className="font-medium">If it was not you, undo it. Then</h2>
        <ul className="mt-2 grid list-disc gap-1.5 pl-5 text-muted">
          <li>your account has {addressLabel(change)} again,</li>
          <li>every device is signed out,</li>
          <li>{nextSignInMessage(change)}</li>
        </ul>
      </section>
      {error !== null && <FormError>{firstErrorMessage(error)}</FormError>}
      <Button variant="primary" size="lg" className="w-full" pending={pending} onClick={() => void submit()}>
        It was not me: undo it
      </Button>
      <p className="text-[13px] text-muted">
        You can do this until <DateTime value={change.until} />.
      </p>
    </div>
  );
}
