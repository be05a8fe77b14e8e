'use client';
import dynamic from 'next/dynamic';
import type { ManagedSubscriptionView } from '#contract/managed-subscription.ts';
import { Card, CardBody, CardHeader } from '../../ui/card.tsx';
import { formatMoney } from '../../ui/format-money.ts';

const CardFields = dynamic(() => import('../checkout/card-fields.tsx').then((module) => module.CardFields), {
  ssr: false,
});

type DueNowProps = {
  view: ManagedSubscriptionView;
  onDone: (saves: boolean) => Promise<void>;
};

/** The payment or card that is required: the open bill is paid at once with the new card. */
export function DueNow({ view, onDone }: DueNowProps) {
  const saves = view.next_action === 'setup';
  const due = formatMoney(view.amount_due, view.currency);
  return (
    <Card>
      <CardHeader
        title={saves ? 'Save a card' : `Pay ${due}`}
        description={saves ? 'Nothing is charged today.' : 'Later bills are paid with this card, too.'}
      />
      <CardBody>
        <CardFields
          client={view.payment_client}
          clientSecret={view.client_secret!}
          label={saves ? 'Save card' : `Pay ${due}`}
          saves={saves}
          onConfirmed={() => onDone(saves)}
        />
      </CardBody>
    </Card>
  );
}
