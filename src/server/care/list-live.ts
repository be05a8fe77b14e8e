import { type CareView, type LiveView, MAX_LIVE_IDS } from '#contract/care.ts';
import type { Appointment, Subscription } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { stamp, toMinute } from '#server/core/zone.ts';
import { listLiveAppointments } from '#server/scheduling/index.ts';
import { type Intent, listLiveSubscriptions } from '#server/subscriptions/index.ts';

/** What is live for a patient; `intents` are creates at Stripe without an outcome. */
export type Live = { appointments: Appointment[]; subscriptions: Subscription[]; intents: Intent[] };
type Db = Pick<Tx, 'appointment' | 'subscription' | 'subscriptionIntent'>;

export async function listLive(
  db: Db,
  ctx: Pick<Context, 'tenantId' | 'clock'>,
  patientId: string,
): Promise<Live | null> {
  const appointments = await listLiveAppointments(db, ctx, patientId);
  const { subscriptions, intents } = await listLiveSubscriptions(db, ctx, patientId);
  return appointments.length + subscriptions.length + intents.length === 0
    ? null
    : { appointments, subscriptions, intents };
}

export const countsOf = ({ appointments, subscriptions, intents }: Live) => ({
  visits: appointments.length,
  subscriptions: subscriptions.length + intents.length,
});

/** For the API: counts and ids only. The permission to archive does not include reading more. */
export function presentLive(live: Live): LiveView {
  const counts = countsOf(live);
  const shown = live.appointments.filter(({ status }) => status === 'scheduled');
  const first = (rows: { id: string }[]) => rows.slice(0, MAX_LIVE_IDS).map(({ id }) => id);
  return {
    visits: { count: counts.visits, ids: first(shown) },
    subscriptions: { count: counts.subscriptions, ids: first(live.subscriptions) },
  };
}

/** For staff: the names by which they recognise each item. */
export function describeLive(live: Live): Pick<CareView, 'visits' | 'subscriptions'> {
  const counts = countsOf(live);
  const appointments = live.appointments.map((row) => ({
    id: row.id,
    status: row.status as 'scheduled' | 'pending',
    appointment_type: row.appointmentType,
    practitioner_name: row.calendar,
    from_date: stamp(toMinute(row.startAt), row.timeZone),
    time_zone: row.timeZone,
  }));
  const subscriptions = live.subscriptions.map((row) => ({
    id: row.id,
    status: row.status,
    name: row.name,
    plan_price: row.planPrice === null ? null : Number(row.planPrice),
    currency: row.currency,
    billing_period: row.billingPeriod,
    billing_interval: row.billingInterval,
  }));
  const pending = live.intents.map(({ id }) => ({ ...UNKNOWN_SUBSCRIPTION, id }));
  return {
    visits: { count: counts.visits, items: appointments.slice(0, MAX_LIVE_IDS) },
    subscriptions: { count: counts.subscriptions, items: [...subscriptions, ...pending].slice(0, MAX_LIVE_IDS) },
  };
}

const UNKNOWN_SUBSCRIPTION = {
  status: 'pending',
  name: null,
  plan_price: null,
  currency: null,
  billing_period: null,
  billing_interval: null,
};
