'use client';
import { useQuery } from '@tanstack/react-query';
import type { PaymentMethodView } from '#contract/cards.ts';
import type { PaymentView } from '#contract/payments.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { formatMoney } from '#web/ui/format-money.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { FROM_PROVIDER, useTRPC } from '../../trpc-client.tsx';
import { NextBill } from '../subscriptions/next-bill.tsx';
import { cardExpiry, cardLabel } from '../subscriptions/subscription.ts';

type Method = NonNullable<SubscriptionView['payment_method']> & { is_default?: boolean };

/** The patient's cards, the default first, and other payment methods of subscriptions. */
export function methodsOf(cards: PaymentMethodView[], live: SubscriptionView[]): Method[] {
  const saved: Method[] = cards.toSorted((a, b) => Number(b.is_default) - Number(a.is_default));
  const others = live.flatMap(({ payment_method: method }) => method ?? []);
  // The first entry of an id wins.
  return [...saved, ...others].filter(({ id }, at, all) => all.findIndex((one) => one.id === id) === at);
}

/** Remaining amounts of open bills, by currency. */
export function openBalances(open: PaymentView[]): { amount: number; currency: string }[] {
  const sums = new Map<string, number>();
  for (const { currency, amount_remaining } of open) sums.set(currency, (sums.get(currency) ?? 0) + amount_remaining);
  return [...sums].flatMap(([currency, amount]) => (amount > 0 ? { currency, amount } : []));
}

const LIVE = ['trialing', 'active', 'past_due', 'unpaid', 'paused'] as const;

/** Amounts owed, saved cards and the next bill. */
export function PatientBilling({ patientId: patient_id }: { patientId: string }) {
  const trpc = useTRPC();
  const subscriptions = useQuery(
    trpc.subscriptions.list.queryOptions({ patient_id, status: LIVE.join(','), size: 100 }),
  );
  const open = useQuery(trpc.payments.list.queryOptions({ patient_id, status: 'open', size: 100 }));
  const live = subscriptions.data?.items ?? [];
  const due = openBalances(open.data?.items ?? []);
  const next = live
    .filter((one): one is SubscriptionView & { upcoming_invoice_date: string } => one.upcoming_invoice_date !== null)
    .toSorted((a, b) => Date.parse(a.upcoming_invoice_date) - Date.parse(b.upcoming_invoice_date))[0];
  return (
    <Card aria-label="Payment">
      <CardHeader title="Payment" />
      <dl className="grid gap-3 p-4 sm:max-md:grid-cols-2">
        {due.length > 0 && (
          <div className="min-w-0">
            <dt className="text-[13px] text-muted">To be paid</dt>
            {due.map(({ amount, currency }) => (
              <dd key={currency} className="font-medium text-danger-ink tabular-nums">
                {formatMoney(amount, currency)}
              </dd>
            ))}
          </div>
        )}
        <div className="min-w-0">
          <dt className="text-[13px] text-muted">Card on file</dt>
          <Cards patientId={patient_id} live={subscriptions.isPending ? null : live} />
        </div>
        <div className="min-w-0">
          <dt className="text-[13px] text-muted">Next bill</dt>
          {next ? (
            <dd className="grid wrap-anywhere">
              <span>
                <DateTime value={next.upcoming_invoice_date} shape="date" />
                {next.name && <span className="text-[13px] text-muted">, {next.name}</span>}
              </span>
              <span className="flex flex-wrap items-baseline gap-x-2 text-muted">
                <NextBill subscription={next} />
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

/** Requests the cards from Stripe after the rest of the page, and only where Stripe is connected. */
function Cards({ patientId, live }: { patientId: string; live: SubscriptionView[] | null }) {
  const trpc = useTRPC();
  const integrations = useQuery(trpc.integrations.list.queryOptions({}));
  const stripe = integrations.data?.find(({ provider }) => provider === 'stripe');
  const isConnected = stripe !== undefined && stripe.status !== 'disconnected';
  const cards = useQuery({
    ...trpc.cards.list.queryOptions({ patient_id: patientId }, FROM_PROVIDER),
    enabled: isConnected && live !== null,
    retry: false,
  });
  if (live === null || integrations.isPending || (isConnected && cards.isPending))
    return (
      <dd>
        <span role="status">
          <Skeleton className="my-1 h-3.5 w-32" />
          <span className="sr-only">Asking Stripe for the cards</span>
        </span>
      </dd>
    );
  const methods = methodsOf(cards.data ?? [], live);
  return (
    <>
      {methods.map((method) => (
        <dd key={method.id} className="wrap-anywhere">
          {cardLabel(method)}
          {cardExpiry(method) && <span className="text-[13px] text-muted">, good until {cardExpiry(method)}</span>}
          {methods.length > 1 && method.is_default && <span className="text-[13px] text-muted">, the default</span>}
        </dd>
      ))}
      {cards.error ? (
        <dd className="text-muted">
          Stripe did not say which cards there are.{' '}
          <Button variant="ghost" size="sm" onClick={() => void cards.refetch()}>
            Ask again
          </Button>
        </dd>
      ) : (
        methods.length === 0 && <dd className="text-muted">None yet</dd>
      )}
    </>
  );
}
