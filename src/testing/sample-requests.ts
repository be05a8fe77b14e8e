import type { ErrorCode } from '#contract/errors.ts';
import type { Route } from '#contract/routes.ts';
import { DAY, MINUTE } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import type { Clinic } from './clinic.ts';
import type { RestRequest } from './rest-client.ts';
import {
  insertWebhookTarget,
  makeWebhookTarget,
  NEW_WEBHOOK,
  noWebhook,
  type WebhookTarget,
} from './webhook-target.ts';

/** Whose records a request is about. */
export type Target = {
  patientId: string;
  subscriptionId: string;
  appointmentId: string;
  eventId: string;
} & WebhookTarget;

/**
 * How a route says whose record it wants: `object` by its own id in the path, `list` by `patient_id` in the query,
 * `create` by `patient_id` in the body, `self` by the token alone; `open` wants nobody's.
 */
export type Sample = {
  kind: 'object' | 'list' | 'create' | 'self' | 'open';
  request(target: Target, time: FreeTime): Pick<RestRequest, 'path' | 'body'>;
  /** Uses its target up, so that each success needs a new one. */
  consumes?: boolean;
  /** The refusal that whoever is let in meets, the target being what it is. */
  meets?: ErrorCode;
};

export const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

/** What the provider's side offers to samples: a price, and free times that nobody asked for yet. */
/** `trialPriceId` needs no payment to begin with: what is made of it may be changed at once. */
export type Offer = { priceId: string; trialPriceId: string; typeId: number; times: FreeTime[] };
export type FreeTime = { from_date: string; calendar_id: number };

export function takeTime(offer: Offer): FreeTime {
  const next = offer.times.shift();
  if (!next) throw new Error('the samples ran out of free times');
  return next;
}

/** A right request for each public route. A route that is not here has no test of who may call it. */
export function sampleRequests(offer: Offer): Record<string, Sample> {
  const open = (path: string): Sample => ({ kind: 'open', request: () => ({ path }) });
  const byPatient = (path: string): Sample => ({
    kind: 'list',
    request: ({ patientId }) => ({ path: `${path}?patient_id=${patientId}` }),
  });
  const patient = (rest: string, body?: unknown): Sample => ({
    kind: 'object',
    request: ({ patientId }) => ({ path: `/patients/${patientId}${rest}`, ...(body !== undefined && { body }) }),
  });
  const subscription = (rest: string, body?: unknown): Sample => ({
    kind: 'object',
    request: ({ subscriptionId }) => ({
      path: `/subscriptions/${subscriptionId}${rest}`,
      ...(body !== undefined && { body }),
    }),
  });
  const appointment = (rest: string): Sample => ({
    kind: 'object',
    request: ({ appointmentId }) => ({ path: `/appointments/${appointmentId}${rest}` }),
  });
  const webhook = (rest: (target: Target) => string, body?: unknown): Sample => ({
    kind: 'object',
    request: (target) => ({
      path: `/webhook_endpoints/${target.webhookId}${rest(target)}`,
      ...(body !== undefined && { body }),
    }),
  });
  const tomorrow = offer.times[0]?.from_date.slice(0, 10);
  return {
    'GET /patients': open('/patients'),
    'POST /patients': { kind: 'open', request: () => ({ path: '/patients', body: { first_name: 'Ada' } }) },
    'POST /patients/invite': {
      kind: 'open',
      request: () => ({ path: '/patients/invite', body: { email: `${newId()}@example.test` } }),
    },
    'GET /patients/me': { kind: 'self', request: () => ({ path: '/patients/me' }) },
    'GET /patients/{id}': patient(''),
    'PATCH /patients/{id}': patient('', { middle_name: 'Q' }),
    'POST /patients/{id}/invite': { ...patient('/invite', {}), consumes: true },
    'DELETE /patients/{id}/archive': { ...patient('/archive?end_care=true'), consumes: true },
    'POST /patients/{id}/unarchive': { ...patient('/unarchive', {}), consumes: true },
    'GET /subscription_plans': open('/subscription_plans'),
    'GET /promotion_codes/{code}': open(`/promotion_codes/welcome20?price_ids[]=${offer.priceId}`),
    'GET /subscriptions': byPatient('/subscriptions'),
    'POST /subscriptions': {
      kind: 'create',
      request: ({ patientId }) => ({
        path: '/subscriptions',
        body: { patient_id: patientId, price_ids: [offer.priceId] },
      }),
    },
    'GET /subscriptions/{id}': subscription(''),
    'PATCH /subscriptions/{id}': subscription('', {}),
    // The targets' are waiting for their first payment.
    'GET /subscriptions/{id}/preview': {
      ...subscription(`/preview?price_ids[]=${offer.priceId}`),
      meets: 'conflict',
    },
    'POST /subscriptions/{id}/cancel': { ...subscription('/cancel', {}), consumes: true },
    'GET /appointment_types': open('/appointment_types'),
    'GET /appointments/types': open('/appointments/types'),
    'GET /calendars': open('/calendars'),
    'GET /events': open('/events'),
    'GET /events/{id}': { kind: 'object', request: ({ eventId }) => ({ path: `/events/${eventId}` }) },
    'GET /webhook_endpoints': open('/webhook_endpoints'),
    'POST /webhook_endpoints': { kind: 'open', request: () => ({ path: '/webhook_endpoints', body: NEW_WEBHOOK }) },
    'GET /webhook_endpoints/{id}': webhook(() => ''),
    'PATCH /webhook_endpoints/{id}': webhook(() => '', { description: 'Ours' }),
    'DELETE /webhook_endpoints/{id}': { ...webhook(() => ''), consumes: true },
    'GET /webhook_endpoints/{id}/deliveries': webhook(() => '/deliveries'),
    'POST /webhook_endpoints/{id}/deliveries/{delivery_id}/replay': webhook(
      ({ deliveryId }) => `/deliveries/${deliveryId}/replay`,
      {},
    ),
    'POST /webhook_endpoints/{id}/replay': webhook(() => '/replay', { after_sequence: 0 }),
    'POST /webhook_endpoints/{id}/test': webhook(() => '/test', {}),
    'POST /webhook_endpoints/{id}/roll_secret': webhook(() => '/roll_secret', {}),
    'GET /availability': open(`/availability?appointment_type_id=${offer.typeId}&from_date=${tomorrow}`),
    'GET /appointments': byPatient('/appointments'),
    'POST /appointments': {
      kind: 'create',
      request: ({ patientId }, time) => ({
        path: '/appointments',
        body: { patient_id: patientId, appointment_type_id: offer.typeId, ...time },
      }),
    },
    'GET /appointments/{id}': appointment(''),
    'POST /appointments/{id}/cancel': { ...appointment('/cancel'), consumes: true },
    'POST /appointments/{id}/reschedule': {
      kind: 'object',
      request: ({ appointmentId }, { from_date }) => ({
        path: `/appointments/${appointmentId}/reschedule`,
        body: { from_date },
      }),
      consumes: true,
    },
  };
}

/** Asks the clinic's API what there is to buy and to book: three weeks' times of one calendar that do not overlap. */
export async function readOffer({ rest }: Clinic, token: string): Promise<Offer> {
  const read = async (path: string) => (await rest.call({ method: 'GET', path, token })).body;
  const plans: { id: string; trial_period_in_days: number | null }[] = await read('/subscription_plans');
  const types: { id: number; duration_minutes: number; calendar_ids: number[] }[] = await read('/appointment_types');
  const type = types.reduce((shortest, one) => (one.duration_minutes < shortest.duration_minutes ? one : shortest));
  const free: FreeTime[] = [];
  for (const days of [2, 9, 16]) {
    const from = new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
    const query = `appointment_type_id=${type.id}&from_date=${from}&calendar_id=${type.calendar_ids[0]}`;
    free.push(...(await read(`/availability?${query}`)));
  }
  let last = 0;
  const times = free.filter(({ from_date }) => {
    const isApart = Date.parse(from_date) - last >= type.duration_minutes * MINUTE;
    if (isApart) last = Date.parse(from_date);
    return isApart;
  });
  return {
    priceId: plans[0]!.id,
    trialPriceId: plans.find((plan) => plan.trial_period_in_days)!.id,
    typeId: type.id,
    times: times.map(({ from_date, calendar_id }) => ({ from_date, calendar_id })),
  };
}

/** A patient with a subscription and an appointment, and a webhook endpoint unless said; made through the API. */
export async function makeTarget(
  { rest }: Clinic,
  token: string,
  offer: Offer,
  { withWebhook = true, priceId = offer.priceId } = {},
): Promise<Target> {
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await rest.call({ method: 'POST', path, token, body });
    if (answer.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.id;
  };
  const patientId = await make('/patients', { first_name: 'Ada', email: `${newId()}@example.test` });
  // Its first event, once it has its number; a service of an earlier version has no feed.
  const feed = await rest.call({ method: 'GET', path: `/events?patient_id=${patientId}&wait=10&size=1`, token });
  const booking = { patient_id: patientId, appointment_type_id: offer.typeId, ...takeTime(offer) };
  return {
    patientId,
    eventId: feed.status === 200 ? feed.body[0].id : newId(),
    ...(withWebhook && feed.status === 200 ? await makeWebhookTarget(rest, token, patientId) : noWebhook()),
    subscriptionId: await make('/subscriptions', { patient_id: patientId, price_ids: [priceId] }),
    appointmentId: await make('/appointments', booking),
  };
}

/** The same in a tenant that has no provider, straight into its rows. */
export async function insertTarget({ otherTenant }: Clinic, { withWebhook = true } = {}): Promise<Target> {
  const { db, tenantId } = otherTenant;
  const owner = { tenantId, patientId: newId() };
  const subscriptionId = `sub_${newId().replaceAll('-', '')}`;
  const appointmentId = newId();
  await db.patient.create({
    data: { id: owner.patientId, tenantId, firstName: 'Foreign', email: `${owner.patientId}@example.test` },
  });
  await db.subscription.create({
    data: { id: subscriptionId, ...owner, accountId: 'acct_1', status: 'active', currency: 'usd' },
  });
  const startAt = new Date(Date.now() + DAY);
  await db.appointment.create({
    data: {
      id: appointmentId,
      ...owner,
      appointmentTypeId: 1,
      appointmentType: 'Visit',
      calendarId: 1,
      calendar: 'Rowan Example',
      startAt,
      endAt: new Date(startAt.getTime() + 30 * MINUTE),
      timeZone: 'America/New_York',
      videoToken: newId(),
      status: 'scheduled',
    },
  });
  const eventId = newId();
  await db.event.create({
    data: {
      id: eventId,
      tenantId,
      eventType: 'appointment',
      eventTopic: 'scheduled',
      objectId: appointmentId,
      patientId: owner.patientId,
      authorType: 'System',
      authorId: 'test',
      payload: { id: appointmentId },
    },
  });
  await db.$queryRaw`select carelane_number_events(1000)`;
  const webhook = withWebhook ? await insertWebhookTarget(otherTenant) : noWebhook();
  return { patientId: owner.patientId, subscriptionId, appointmentId, eventId, ...webhook };
}
