'use client';
import { useQuery } from '@tanstack/react-query';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { cardUntil, cardWords } from '../subscriptions/attention-words.ts';
import { priceOf } from '../subscriptions/subscription-columns.tsx';

const LIVE = ['trialing', 'active', 'past_due', 'unpaid', 'paused'] as const;

/** The card on file and the next bill; nothing where there never was either. */
export function PatientBilling({ patientId }: { patientId: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.subscriptions.list.queryOptions({ patient_id: patientId, status: LIVE.join(','), size: 100 }),
  );
  const live = data?.items ?? [];
  if (live.length === 0) return null;
  const methods = [
    ...new Map(live.flatMap(({ payment_method: one }) => (one ? [[one.id, one] as const] : []))).values(),
  ];
  const next = live
    .filter((one): one is SubscriptionView & { upcoming_invoice_date: string } => one.upcoming_invoice_date !== null)
    .toSorted((a, b) => Date.parse(a.upcoming_invoice_date) - Date.parse(b.upcoming_invoice_date))[0];
  return (
    <Card>
      <CardHeader title="Payment" />
      <dl className="grid gap-3 p-4 sm:max-md:grid-cols-2">
        <div className="min-w-0">
          <dt className="text-[13px] text-muted">Card on file</dt>
          {methods.length === 0 && <dd className="text-muted">None yet</dd>}
          {methods.map((method) => (
            <dd key={method.id} className="wrap-anywhere">
              {cardWords(method)}
              {cardUntil(method) && <span className="text-[13px] text-muted">, good until {cardUntil(method)}</span>}
            </dd>
          ))}
        </div>
        <div className="min-w-0">
          <dt className="text-[13px] text-muted">Next bill</dt>
          {next ? (
            <dd className="wrap-anywhere">
              <DateTime value={next.upcoming_invoice_date} shape="date" />
              <span className="block text-[13px] text-muted">
                {[next.name, priceOf(next), next.discount && 'less a discount'].filter(Boolean).join(', ')}
              </span>
            </dd>
          ) : (
            <dd className="text-muted">None is due</dd>
          )}
        </div>
      </dl>
    </Card>
  );
}
