'use client';
import { useQueries, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { formatMoney } from '#web/ui/format-money.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { PatientName } from '../patients/patient-name.tsx';
import { usePatientNames } from '../patients/use-patient-names.ts';
import { describePrice } from '../plans/plan-terms.ts';
import { attentionWords, cardUntil, cardWords } from './attention-words.ts';
import { Fact } from './fact.tsx';
import { priceOf } from './subscription-columns.tsx';

/** Patient, items and payment method of a subscription. */
export function SubscriptionFacts({ subscription }: { subscription: SubscriptionView }) {
  const { patient_id, payment_method: method, discount, currency, created_at, trial_end, items } = subscription;
  const nameOf = usePatientNames([patient_id]);
  const worry = attentionWords(subscription, Date.now());
  return (
    <Card>
      <CardHeader title="What is paid for" />
      <dl className="grid gap-3 p-4 sm:max-xl:grid-cols-2">
        <Fact term="Patient">
          <Link href={`/patients/${patient_id}`} className="rounded-sm font-medium hover:underline">
            <PatientName name={nameOf?.(patient_id)} />
          </Link>
        </Fact>
        <Fact term={items.length > 1 ? 'Plans' : 'Plan'}>
          <Items subscription={subscription} />
        </Fact>
        <Fact term="Total">
          <span className="tabular-nums">{priceOf(subscription) || 'Price varies'}</span>
        </Fact>
        <Fact term="Discount">
          {discount &&
            [
              discount.percent_off !== null && `${discount.percent_off} % off`,
              discount.amount_off !== null && `${formatMoney(discount.amount_off, currency)} off`,
              discount.code && `with the code ${discount.code}`,
            ]
              .filter(Boolean)
              .join(' ')}
        </Fact>
        <Fact term="Card on file">
          {method && (
            <span className="grid">
              <span>{cardWords(method)}</span>
              {cardUntil(method) && <span className="text-[13px] text-muted">Good until {cardUntil(method)}</span>}
            </span>
          )}
          {worry && <span className="block text-[13px] text-warn-ink">{worry}</span>}
        </Fact>
        {trial_end && (
          <Fact term="Trial">
            until <DateTime value={trial_end} shape="date" />
          </Fact>
        )}
        <Fact term="Started">
          <DateTime value={created_at} shape="date" />
        </Fact>
        <Fact term="Id at Stripe">
          <CopyButton size="sm" value={subscription.id} label="Copy id" />
        </Fact>
      </dl>
    </Card>
  );
}

/** Items by name; prices that are archived at the connected account are looked up. */
function Items({ subscription: { items, name, stripe_issue } }: { subscription: SubscriptionView }) {
  const trpc = useTRPC();
  const plans = useQuery(trpc.plans.list.queryOptions({ size: 1000 }));
  const offered = plans.data?.items;
  const missing = items.filter(({ price_id }) => offered?.every(({ id }) => id !== price_id));
  const archived = useQueries({
    queries: missing.map(({ price_id }) => ({
      ...trpc.plans.get.queryOptions({ price_id }),
      enabled: stripe_issue !== 'former_account',
      retry: false,
    })),
  });
  const known = new Map(
    [...(offered ?? []), ...archived.flatMap(({ data }) => data ?? [])].map((one) => [one.id, one]),
  );
  if (items.every(({ price_id }) => !known.has(price_id))) return name;
  return (
    <ul>
      {items.map(({ id, price_id, quantity }) => {
        const plan = known.get(price_id);
        const label = plan
          ? [plan.name, plan.nickname].filter(Boolean).join(' · ')
          : 'A plan that is not offered any more';
        return (
          <li key={id}>
            {quantity > 1 && `${quantity} × `}
            {label}
            {plan && <span className="block text-[13px] text-muted tabular-nums">{describePrice(plan)}</span>}
          </li>
        );
      })}
    </ul>
  );
}
