import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES, type Route } from '#contract/routes.ts';
import { MINUTE } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import { arbitraryRequest, type Known } from './arbitrary-request.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import type { Credentials, RestRequest, RestResponse } from './rest-client.ts';
import { sampleRequests } from './sample-requests.ts';
import { makeTarget, readOffer } from './sample-targets.ts';
import { nameOf, type Offer, type Target, takeSlot } from './samples/sample.ts';
import { ACCOUNT } from './scheduling.ts';
import { SEED } from './seed.ts';
import { makePayment, makeUnknownSubscription, saveCard } from './stripe-objects.ts';
import { insertUnmatched } from './unmatched-booking.ts';
import { makeWebhookTarget } from './webhook-target.ts';

const numRuns = Number(process.env.FUZZ_RUNS ?? 3);
/** Number of objects for each of the two kinds of requests that consume them. */
const POOL = process.env.PROVE ? 4 : 2;
/** Free slots that only known-good requests book. */
const RESERVED_SLOTS = 20;
/** Routes that reject an application. */
const PATIENT_ROUTES = ['GET /patients/me', 'GET /appointments/{id}/visit_link'];
const BOOKING_ROUTES = ['POST /appointments', 'POST /appointments/{id}/reschedule'];

let clinic: Sandbox;
let tokens: string[];
let sendKnownGood: (route: Route) => Promise<RestResponse>;
let known: Known;
let document: unknown;

beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  const credentials = await clinic.application(clinic.ctx);
  const application = await clinic.token(credentials);
  const offer = await readOffer(clinic, application);
  const reserved: Offer = { ...offer, times: offer.times.splice(0, RESERVED_SLOTS) };
  const targets: Awaited<ReturnType<typeof makeTarget>>[] = [];
  for (let n = 0; n < POOL; n += 1)
    targets.push(await makeTarget(clinic, application, offer, { priceId: offer.trialPriceId }));
  tokens = [application, await clinic.impersonate(credentials, targets[0]!.patientId)];
  known = {
    patientIds: targets.map((target) => target.patientId),
    subscriptionIds: targets.map((target) => target.subscriptionId),
    // The first is not paid yet.
    paymentIds: [
      targets[0]!.paymentId,
      ...(await times(2 * POOL, () => makePayment(clinic, application, offer.priceId))),
    ],
    appointmentIds: targets.map((target) => target.appointmentId),
    begunIds: await times(POOL, () => begunVisit(application, offer, targets[0]!.patientId)),
    practitionerIds: targets.map((target) => target.practitionerId),
    eventIds: targets.map((target) => target.eventId),
    taskIds: targets.map((target) => target.taskId),
    webhookIds: targets.slice(-1).map((target) => target.webhookId),
    deliveryIds: targets.slice(-1).map((target) => target.deliveryId),
    priceIds: [offer.priceId],
    cardIds: await times(2 * POOL, () => saveCard(clinic, targets[0]!.patientId)),
    pages: [offer.page],
    unknownIds: await times(2 * POOL, () => makeUnknownSubscription(clinic, offer.priceId)),
    unmatchedIds: await times(6, () => insertUnmatched(clinic.ctx)),
    messageIds: targets.map((target) => target.messageId),
    newPatientIds: await times(6, () => newPatient(application)),
    accountId: (await clinic.ctx.db.integration.findFirstOrThrow({ where: { provider: 'stripe' } })).accountId!,
    acuity: { userId: ACCOUNT.user_id, apiKey: ACCOUNT.api_key },
    numbers: [offer.typeId, offer.times[0]!.calendar_id, 7],
    times: offer.times.map((time) => time.from_date),
  };
  await planMessages(known.messageIds);
  sendKnownGood = await knownGoodRequests(credentials, application, reserved);
  document = await (await fetch(`${clinic.url}/api/v1/openapi.json`)).json();
  console.info(`fuzz: SEED=${SEED} FUZZ_RUNS=${numRuns}`);
});
/** Resets the messages to a state in which they can be sent or skipped. */
async function planMessages(ids: string[]): Promise<void> {
  const dueAt = new Date(Date.now() + 7 * 24 * 60 * MINUTE);
  const data = { state: 'planned', sentAt: null, dueAt };
  await clinic.ctx.db.visitMessage.updateMany({ where: { id: { in: ids } }, data });
}
/**
 * Returns a function that sends a route's sample request for objects that random requests never touch, in a state in
 * which the route accepts it.
 */
async function knownGoodRequests(credentials: Credentials, token: string, offer: Offer): Promise<typeof sendKnownGood> {
  const samples = sampleRequests(offer);
  const newTarget = () => makeTarget(clinic, token, offer, { priceId: offer.trialPriceId });
  const shared = await newTarget();
  const patientToken = await clinic.impersonate(credentials, shared.patientId);
  const begun = async () => ({ appointmentId: await begunVisit(token, offer, shared.patientId) });
  const states: Record<string, () => Promise<Partial<Target>>> = {
    'POST /payments/{id}/refund': async () => ({ paymentId: await makePayment(clinic, token, offer.priceId) }),
    // The only card that pays for a subscription cannot be removed.
    'DELETE /payment_methods/{id}': async () => ({ cardId: await saveCard(clinic, shared.patientId) }),
    'POST /appointments/{id}/no_show': begun,
    'POST /appointments/{id}/check_in': begun,
    'POST /appointments/{id}/complete': begun,
    'POST /appointments/{id}/messages/{message_id}/skip': async () => {
      await planMessages([shared.messageId]);
      return {};
    },
    // The shared endpoint may be deleted by then: a new target deletes the oldest to make room.
    'PATCH /webhook_endpoints/{id}': () => makeWebhookTarget(clinic.rest, token, shared.patientId),
    'POST /appointments/unmatched/{id}/attach': async () => ({ unmatchedId: await insertUnmatched(clinic.ctx) }),
    'POST /appointments/unmatched/{id}/create_patient': async () => ({
      unmatchedId: await insertUnmatched(clinic.ctx),
    }),
  };
  const acuity = ACCOUNT;
  /** Replace samples that name an account or a subscription that the provider does not have. */
  const others: Record<string, () => Promise<Pick<RestRequest, 'path' | 'body'>>> = {
    'DELETE /integrations/stripe': async () => ({ path: `/integrations/stripe?account_id=${known.accountId}` }),
    'POST /integrations/acuity': async () => ({ path: '/integrations/acuity', body: acuity }),
    'PATCH /integrations/acuity': async () => ({ path: '/integrations/acuity', body: acuity }),
    'DELETE /integrations/acuity': async () => ({ path: `/integrations/acuity?account_id=${ACCOUNT.user_id}` }),
    'POST /integrations/stripe/unknown_subscriptions/{id}/attach': async () => ({
      path: `/integrations/stripe/unknown_subscriptions/${await makeUnknownSubscription(clinic, offer.priceId)}/attach`,
      body: { patient_id: await newPatient(token) },
    }),
  };
  return async (route) => {
    const name = nameOf(route);
    const sample = samples[name]!;
    const state = await states[name]?.();
    const target = sample.consumes && !state ? await newTarget() : { ...shared, ...state };
    const slot = BOOKING_ROUTES.includes(name) ? takeSlot(offer) : offer.times[0]!;
    const request = (await others[name]?.()) ?? sample.request(target, slot);
    const body = request.body !== undefined && { body: request.body };
    return clinic.rest.call({
      method: route.method,
      path: request.path,
      ...body,
      token: PATIENT_ROUTES.includes(name) ? patientToken : token,
    });
  };
}
async function times<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  while (all.length < count) all.push(await make());
  return all;
}
async function newPatient(token: string): Promise<string> {
  const body = { first_name: 'Ada', email: `${newId()}@example.test` };
  return (await clinic.rest.call({ method: 'POST', path: '/patients', token, body })).body.id;
}
/** Creates an appointment that started a minute ago. */
async function begunVisit(token: string, offer: Offer, patient_id: string): Promise<string> {
  const body = { patient_id, appointment_type_id: offer.typeId, ...takeSlot(offer) };
  const { id } = (await clinic.rest.call({ method: 'POST', path: '/appointments', token, body })).body;
  const startAt = new Date(Date.now() - MINUTE);
  const data = { startAt, endAt: new Date(startAt.getTime() + 30 * MINUTE) };
  await clinic.ctx.db.appointment.updateMany({ where: { id }, data });
  return id;
}
afterAll(async () => {
  for (const [name, statuses] of seen)
    console.info(`fuzz: ${name}: ${[...statuses].map(([status, n]) => `${status}×${n}`).join(' ')}`);
  await clinic?.stop();
});

/** Sort order: routes that consume objects come last; message routes come first, while the appointment is unchanged. */
const orderOf = ({ path, method }: Route) =>
  path.includes('/messages/')
    ? -1
    : path.startsWith('/integrations')
      ? method === 'DELETE'
        ? 4
        : 0
      : path.endsWith('/archive') || /unmatched.*(attach|create_patient)/.test(path)
        ? 2
        : path.includes('cancel')
          ? 1
          : method === 'DELETE'
            ? 3
            : method === 'PATCH'
              ? 1
              : 0;
const ROUTES_IN_ORDER = [...ROUTES].sort((a, b) => orderOf(a) - orderOf(b));
/** The ids to use, by the first path segment. */
const idsOf = (): Record<string, string[]> => ({
  patients: known.patientIds,
  subscriptions: known.subscriptionIds,
  payments: known.paymentIds,
  payment_methods: known.cardIds,
  events: known.eventIds,
  tasks: known.taskIds,
  practitioners: known.practitionerIds,
  webhook_endpoints: known.webhookIds,
  promotion_codes: ['WELCOME20', 'welcome20', 'GONE'],
  integrations: known.unknownIds,
});
const idsFor = ({ path }: Route) => {
  // Create-patient needs unmatched appointments that no other route attaches.
  if (path === '/appointments/unmatched/{id}/create_patient') return known.unmatchedIds.slice(3);
  if (path.startsWith('/appointments/unmatched')) return known.unmatchedIds.slice(0, 3);
  if (/\/(no_show|check_in|complete|unmark)$/.test(path)) return known.begunIds;
  // Each of the two routes consumes its ids.
  if (path.endsWith('/attach')) return known.unknownIds.slice(POOL);
  if (path.endsWith('/leave_alone')) return known.unknownIds.slice(0, POOL);
  return idsOf()[path.split('/')[1]!] ?? known.appointmentIds;
};
const seen = new Map<string, Map<number, number>>();

test.each(ROUTES_IN_ORDER.map((route) => [nameOf(route), route] as const))(
  '%s returns 2xx for a known-good request, and no 5xx for random ones',
  async (name, route) => {
    const good = await sendKnownGood(route);
    expect(good.status, JSON.stringify(good.body).slice(0, 500)).toBeLessThan(300);
    const statuses = new Map<number, number>();
    seen.set(name, statuses);
    await fc.assert(
      fc.asyncProperty(arbitraryRequest(document, route, known, idsFor(route)), fc.nat(1), async (request, who) => {
        const { status, body } = await clinic.rest.call({ ...request, token: tokens[who]! });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect(status, JSON.stringify(body).slice(0, 500)).toBeLessThan(500);
      }),
      { seed: SEED, numRuns, interruptAfterTimeLimit: 40_000 },
    );
  },
);
