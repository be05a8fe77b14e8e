'use client';
import type { ManagedSubscriptionView } from '#contract/managed-subscription.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card, CardBody } from '../../ui/card.tsx';
import { useReaderZone } from '../../ui/use-reader-zone.ts';
import { discountWords } from '../checkout/checkout-words.ts';
import { nextBillWords, priceOf, standingWords } from './manage-words.ts';

/** The subscription with its status and the next step. */
export function Standing({ view }: { view: ManagedSubscriptionView }) {
  const zone = useReaderZone();
  const { label, tone, text } = standingWords(view, zone);
  const price = priceOf(view);
  // A discount for a single bill is used up if the next bill has the full price.
  const isUsedUp = view.next_bill !== null && view.next_bill.amount_due === view.plan_price;
  return (
    <Card>
      <CardBody className="grid gap-3">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <h1 className="text-lg font-semibold tracking-tight wrap-anywhere">{view.name ?? 'Your subscription'}</h1>
          <Badge tone={tone} dot>
            {label}
          </Badge>
        </div>
        <p>{text}</p>
        <dl className="grid gap-2 text-muted empty:hidden [&>div]:flex [&>div]:justify-between [&>div]:gap-4 [&_dd]:text-right [&_dd]:text-ink">
          {price && (
            <div>
              <dt>Price</dt>
              <dd>{price}</dd>
            </div>
          )}
          {view.discount && !isUsedUp && (
            <div>
              <dt>Discount</dt>
              <dd className="wrap-anywhere">{discountWords(view.discount, view.currency)}</dd>
            </div>
          )}
          {view.next_bill && (
            <div>
              <dt>Next bill</dt>
              <dd>{nextBillWords(view.next_bill, view.currency, zone)}</dd>
            </div>
          )}
        </dl>
      </CardBody>
    </Card>
  );
}
