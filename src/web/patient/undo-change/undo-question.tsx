'use client';
import { useState } from 'react';
import type { AddressChangeView } from '#contract/address-changes.ts';
import { faultSentence } from '../../ui/api-faults.ts';
import { Button } from '../../ui/button.tsx';
import { DateTime } from '../../ui/date-time.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { addressWords, afterwardsWords, KIND_WORDS } from './undo-words.ts';

type UndoQuestionProps = { change: AddressChangeView; undo: () => Promise<void> };

/** Describes the change and the effect of undoing it, with the button. */
export function UndoQuestion({ change, undo }: UndoQuestionProps) {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const press = async () => {
    setPending(true);
    setError(null);
    await undo().catch((fault) => {
      setError(fault);
      setPending(false);
    });
  };
  return (
    <div className="grid gap-5">
      <div>
        <h1 className="text-xl font-semibold tracking-tight text-balance">
          Was it you who changed {KIND_WORDS[change.kind]}?
        </h1>
        <p className="mt-2 text-muted">
          Until <DateTime value={change.changed_at} /> your account had {addressWords(change)}. If you changed it
          yourself, there is nothing to do: just close this page.
        </p>
      </div>
      <section className="rounded-lg border border-line bg-surface p-4">
        <h2 className="font-medium">If it was not you, undo it. Then</h2>
        <ul className="mt-2 grid list-disc gap-1.5 pl-5 text-muted">
          <li>your account has {addressWords(change)} again,</li>
          <li>every device is signed out,</li>
          <li>{afterwardsWords(change)}</li>
        </ul>
      </section>
      {error !== null && <FormError>{faultSentence(error)}</FormError>}
      <Button variant="primary" size="lg" className="w-full" pending={pending} onClick={() => void press()}>
        It was not me: undo it
      </Button>
      <p className="text-[13px] text-muted">
        You can do this until <DateTime value={change.until} />.
      </p>
    </div>
  );
}
