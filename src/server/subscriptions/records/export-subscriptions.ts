import { minorDigits } from '#contract/minor-units.ts';
import { needsAttention } from '#contract/needs-attention.ts';
import type { ExportSubscriptionsInput, SubscriptionView } from '#contract/subscriptions.ts';
import type { Context } from '#server/core/context.ts';
import type { CsvColumn } from '#server/core/csv.ts';
import { exportPatientRecords, type NamedPatient, PATIENT_COLUMNS } from '#server/core/export-patient-records.ts';
import { beyondInstant } from '#server/core/paging.ts';
import { whereMatching } from './list-subscriptions.ts';
import { presentSubscription } from './subscription.ts';

type Line = SubscriptionView & NamedPatient & { now: number };

/** Formats amounts for spreadsheets: `49.00`; `4900` for a currency without minor units. */
function amountOf(minor: number | null, currency: string): string | null {
  const digits = minorDigits(currency);
  return minor === null ? null : (minor / 10 ** digits).toFixed(digits);
}

const dueOf = ({ latest_invoice: bill }: SubscriptionView): number | null =>
  bill && (bill.status === 'open' || bill.status === 'uncollectible') ? bill.amount_due : null;

const COLUMNS: CsvColumn<Line>[] = [
  ['subscription_id', ({ id }) => id],
  ['patient_id', ({ patient_id }) => patient_id],
  ['patient', ({ patient }) => patient.name],
  ['email', ({ patient }) => patient.email],
  ['phone', ({ patient }) => patient.phone],
  ['plan', ({ name }) => name],
  ['status', ({ status }) => status],
  ['needs_attention', (line) => needsAttention(line, line.now)],
  ['price', ({ plan_price, currency }) => amountOf(plan_price, currency)],
  ['currency', ({ currency }) => currency],
  ['every', ({ billing_period, billing_interval }) => billing_period && `${billing_interval ?? 1} ${billing_period}`],
  ['amount_due', (line) => amountOf(dueOf(line), line.currency)],
  ['next_bill', ({ upcoming_invoice_date }) => upcoming_invoice_date],
  ['trial_end', ({ trial_end }) => trial_end],
  ['ends', ({ ended_at, cancel_at }) => ended_at ?? cancel_at],
  ['card', ({ payment_method: card }) => card && [card.brand ?? card.type, card.last4].filter(Boolean).join(' ')],
  ['card_until', ({ payment_method: card }) => cardUntil(card)],
  ['created_at', ({ created_at }) => created_at],
];

const cardUntil = (card: SubscriptionView['payment_method']): string | null =>
  card?.exp_year ? `${card.exp_year}-${String(card.exp_month).padStart(2, '0')}` : null;

/** Exports the subscriptions that match a filter as CSV, newest first. Staff only. */
export async function exportSubscriptions(
  ctx: Context,
  input: ExportSubscriptionsInput,
): Promise<AsyncIterable<string>> {
  const now = ctx.clock.now().getTime();
  return exportPatientRecords(ctx, input, {
    about: { action: 'subscriptions.export', object: { type: 'Subscription', id: '*' } },
    counted: 'subscriptions',
    columns: COLUMNS,
    reader: async () => {
      const where = whereMatching(ctx, input);
      return (last, take) =>
        ctx.db.subscription.findMany({
          where: last ? { AND: [where, beyondInstant('createdAt', last, false)] } : where,
          orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
          take,
          include: { patient: PATIENT_COLUMNS },
        });
    },
    placeOf: ({ createdAt: at, id }) => ({ at, id }),
    lineOf: (row) => ({ ...presentSubscription(ctx, row), now }),
  });
}
