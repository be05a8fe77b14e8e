'use client';
import type { CheckoutView } from '#contract/checkout-links.ts';
import { Card, CardBody } from '../../ui/card.tsx';
import { formatMoney } from '../../ui/format-money.ts';
import { useReaderZone } from '../../ui/use-reader-zone.ts';
import { discountWords, termsWords } from './checkout-words.ts';

/** The plan with its price today and later. */
export function PlanSummary({ view }: { view: CheckoutView }) {
  const zone = useReaderZone();
  return (
    <Card>
      <CardBody className="grid gap-3">
        <div className="flex items-baseline justify-between gap-4">
          <p className="font-medium">{view.name ?? 'Subscription'}</p>
          <p className="text-lg font-semibold tabular-nums">
            <span className="sr-only">Due today: </span>
            {formatMoney(view.amount_due, view.currency)}
          </p>
        </div>
        {view.discount && <p className="text-good-ink wrap-anywhere">{discountWords(view.discount, view.currency)}</p>}
        <p className="text-muted">{termsWords(view, zone)}</p>
      </CardBody>
    </Card>
  );
}
