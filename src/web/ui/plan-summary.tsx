'use client';
import { Card, CardBody } from './card.tsx';
import { discountLabel, type Terms, termsMessage } from './checkout-terms.ts';
import { formatMoney } from './format-money.ts';
import { useReaderZone } from './use-reader-zone.ts';

/** The plan with its price today and later, as a patient sees it before paying. */
export function PlanSummary({ view }: { view: Terms & { name: string | null } }) {
  const zone = useReaderZone();
  return (
    <Card>
      <CardBody className="grid gap-3">
        <div className="flex items-baseline justify-between gap-4">
          <p className="font-medium wrap-anywhere">{view.name ?? 'Subscription'}</p>
          <p className="text-lg font-semibold tabular-nums">
            <span className="sr-only">Due today: </span>
            {formatMoney(view.amount_due, view.currency)}
          </p>
        </div>
        {view.discount && <p className="text-good-ink wrap-anywhere">{discountLabel(view.discount, view.currency)}</p>}
        <p className="text-muted">{termsMessage(view, zone)}</p>
      </CardBody>
    </Card>
  );
}
