'use client';
import { CreditCard } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { ManagedSubscriptionView, StartedCardView } from '#contract/managed-subscription.ts';
import { firstErrorMessage } from '../../ui/api-errors.ts';
import { Button } from '../../ui/button.tsx';
import { Card, CardBody } from '../../ui/card.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { hasEnded, paymentMethodLabels } from './manage-messages.ts';
import type { Steps } from './steps.ts';

const CardFields = dynamic(() => import('../checkout/card-fields.tsx').then((module) => module.CardFields), {
  ssr: false,
});

type CardChangeProps = { view: ManagedSubscriptionView; steps: Steps };

/** The payment method, and a form to replace it. */
export function CardChange({ view, steps }: CardChangeProps) {
  const words = paymentMethodLabels(view);
  const [started, setStarted] = useState<StartedCardView | null>(null);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  if (hasEnded(view)) return null;

  const start = async () => {
    setPending(true);
    setError(null);
    await steps.ask<StartedCardView>('manage.startCard').then(setStarted, setError);
    setPending(false);
  };
  const use = async () => {
    const setup_intent_id = started!.setup_intent_id;
    await steps
      .act('manage.useCard', { setup_intent_id }, 'It is saved. Bills are paid with it from now on.')
      .then(() => setStarted(null), setError);
  };
  return (
    <Card>
      <CardBody className="grid gap-4">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <div className="flex min-w-0 items-center gap-3">
            <CreditCard aria-hidden className="size-5 shrink-0 text-muted" />
            <div>
              <h2 className="font-semibold">{words.title}</h2>
              <p className="text-[13px] text-muted">{words.text}</p>
            </div>
          </div>
          {started ? (
            <Button onClick={() => setStarted(null)}>{words.keep}</Button>
          ) : !view.takes_payments ? null : (
            <Button pending={pending} onClick={() => void start()}>
              {words.change}
            </Button>
          )}
        </div>
        {started && (
          <CardFields
            client={started.payment_client}
            clientSecret={started.client_secret}
            label="Save card"
            saves
            onConfirmed={use}
          />
        )}
        {error !== null && <FormError>{firstErrorMessage(error)}</FormError>}
      </CardBody>
    </Card>
  );
}
