'use client';
import { CreditCard } from 'lucide-react';
import { useState } from 'react';
import type { ManagedSubscriptionView, StartedCardView } from '#contract/managed-subscription.ts';
import { firstErrorMessage } from '../../ui/api-errors.ts';
import { Button } from '../../ui/button.tsx';
import { Card, CardBody } from '../../ui/card.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { LazyCardFields } from '../checkout/lazy-card-fields.tsx';
import { hasEnded, paymentMethodLabels } from './manage-messages.ts';
import type { Steps } from './use-managed-subscription.ts';

type CardChangeProps = { view: ManagedSubscriptionView; steps: Steps };

/** The payment method, and a form to replace it. */
export function CardChange({ view, steps }: CardChangeProps) {
  const labels = paymentMethodLabels(view);
  const [started, setStarted] = useState<StartedCardView | null>(null);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  if (hasEnded(view)) return null;

  const start = async () => {
    setPending(true);
    setError(null);
    await steps.query<StartedCardView>('manage.startCard').then(setStarted, setError);
    setPending(false);
  };
  const attachCard = async (setup_intent_id: string) => {
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
              <h2 className="font-semibold">{labels.title}</h2>
              <p className="text-[13px] text-muted">{labels.text}</p>
            </div>
          </div>
          {started ? (
            <Button onClick={() => setStarted(null)}>{labels.keep}</Button>
          ) : !view.takes_payments ? null : (
            <Button pending={pending} onClick={() => void start()}>
              {labels.change}
            </Button>
          )}
        </div>
        {started && (
          <LazyCardFields
            client={started.payment_client}
            clientSecret={started.client_secret}
            label="Save card"
            saves
            onConfirmed={() => attachCard(started.setup_intent_id)}
          />
        )}
        {error !== null && <FormError>{firstErrorMessage(error)}</FormError>}
      </CardBody>
    </Card>
  );
}
