'use client';
import { useEffect, useRef, useState } from 'react';
import type { ManagedSubscriptionView } from '#contract/managed-subscription.ts';
import { faultSentence } from '../../ui/api-faults.ts';
import { Button } from '../../ui/button.tsx';
import { Card, CardBody } from '../../ui/card.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { useReaderZone } from '../../ui/use-reader-zone.ts';
import { cancelWords, hasEnded, mayUndo } from './manage-words.ts';
import type { Steps } from './steps.ts';

/** Cancels the subscription after a confirmation; a scheduled cancellation can be undone. */
export function CancelStep({ view, steps }: { view: ManagedSubscriptionView; steps: Steps }) {
  const zone = useReaderZone();
  const [asking, setAsking] = useState(false);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const question = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (asking) question.current?.focus();
  }, [asking]);
  if (hasEnded(view)) return null;

  const act = async (step: string, words: string) => {
    if (pending) return;
    setPending(true);
    setError(null);
    await steps.act(step, {}, words).then(() => setAsking(false), setError);
    setPending(false);
  };
  const trouble = error !== null && <FormError>{faultSentence(error)}</FormError>;
  if (mayUndo(view))
    return (
      <div className="grid gap-2">
        <Button
          variant="primary"
          size="lg"
          pending={pending}
          onClick={() => void act('manage.undo', 'It goes on as before.')}
        >
          Keep my subscription
        </Button>
        {trouble}
      </div>
    );
  if (!asking)
    return (
      <Button variant="link" className="justify-self-center" onClick={() => setAsking(true)}>
        Cancel subscription
      </Button>
    );
  return (
    <Card>
      <CardBody className="grid gap-3">
        <h2 ref={question} tabIndex={-1} className="font-semibold outline-none">
          Cancel {view.name ?? 'this subscription'}?
        </h2>
        <p>{cancelWords(view, zone)}</p>
        {trouble}
        <div className="flex flex-wrap gap-2 *:flex-1">
          <Button size="lg" onClick={() => setAsking(false)}>
            Keep it
          </Button>
          <Button
            variant="danger"
            size="lg"
            pending={pending}
            onClick={() => void act('manage.cancel', 'Your subscription is canceled.')}
          >
            Cancel subscription
          </Button>
        </div>
      </CardBody>
    </Card>
  );
}
