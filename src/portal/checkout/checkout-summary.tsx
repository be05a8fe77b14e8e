import type { CheckoutView } from '#contract/subscriptions.ts';
import { Card } from '#portal/ui/card.tsx';
import { useReaderZone } from '#portal/ui/use-reader-zone.ts';
import { describeTerms } from './terms.ts';

export function CheckoutSummary({ checkout }: { checkout: CheckoutView }) {
  const { dueNow, after } = describeTerms(checkout, useReaderZone());
  return (
    <Card className="mb-4 p-5">
      <h1 className="text-lg font-semibold tracking-tight">{checkout.name ?? 'Your subscription'}</h1>
      <dl className="mt-3 flex items-baseline justify-between gap-4">
        <dt className="text-muted">Due today</dt>
        <dd className="text-2xl font-semibold tracking-tight tabular-nums">{dueNow}</dd>
      </dl>
      {after && <p className="mt-1 text-muted">{after}</p>}
    </Card>
  );
}
