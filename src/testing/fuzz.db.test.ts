import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES, type Route } from '#contract/routes.ts';
import { MINUTE } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import { arbitraryRequest, type Known } from './arbitrary-request.ts';
import { ACUITY, type Clinic, startClinic } from './clinic.ts';
import { makePayment } from './payment-target.ts';
import { makeTarget, readOffer } from './sample-targets.ts';
import { nameOf, type Offer, takeTime } from './samples/sample.ts';
import { saveCard } from './saved-card.ts';
import { makeUnknownSubscription } from './unknown-subscription.ts';
import { insertUnmatched } from './unmatched-booking.ts';

/** `FUZZ_SEED` replays a run, `FUZZ_RUNS` makes it longer. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.FUZZ_RUNS ?? 40);

let clinic: Clinic;
let tokens: string[];
let known: Known;
let document: unknown;

beforeAll(async () => {
  clinic = await startClinic({ ACUITY_REQUESTS_PER_SECOND: '1000' });
  const credentials = await clinic.application(clinic.tenant);
  const application = await clinic.token(credentials);
  const offer = await readOffer(clinic, application);
  const targets: Awaited<ReturnType<typeof makeTarget>>[] = [];
  for (let n = 0; n < 4; n += 1)
    targets.push(await makeTarget(clinic, application, offer, { priceId: offer.trialPriceId }));
  tokens = [application, await clinic.impersonate(credentials, targets[0]!.patientId)];
  known = {
    patientIds: targets.map((target) => target.patientId),
    subscriptionIds: targets.map((target) => target.subscriptionId),
    // The first is not paid yet.
    paymentIds: [targets[0]!.paymentId, ...(await times(8, () => makePayment(clinic, application, offer.priceId)))],
    appointmentIds: targets.map((target) => target.appointmentId),
    begunIds: await times(4, () => begunVisit(application, offer, targets[0]!.patientId)),
    practitionerIds: targets.map((target) => target.practitionerId),
    eventIds: targets.map((target) => target.eventId),
    webhookIds: targets.slice(-1).map((target) => target.webhookId),
    deliveryIds: targets.slice(-1).map((target) => target.deliveryId),
    priceIds: [offer.priceId],
    cardIds: await times(8, () => saveCard(clinic, targets[0]!.patientId)),
    pages: [offer.page],
    unknownIds: await times(8, () => makeUnknownSubscription(clinic, offer.priceId)),
    unmatchedIds: await times(6, () => insertUnmatched(clinic.tenant)),
    messageIds: targets.map((target) => target.messageId),
    newPatientIds: await times(6, () => newPatient(application)),
    accountId: (await clinic.tenant.db.integration.findFirstOrThrow({ where: { provider: 'stripe' } })).accountId!,
    acuity: ACUITY,
    numbers: [offer.typeId, offer.times[0]!.calendar_id, 7],
    times: offer.times.map((time) => time.from_date),
  };
  // They have yet to be sent; what is kept back may be sent all the same.
  const dueAt = new Date(Date.now() + 7 * 24 * 60 * MINUTE);
  await clinic.tenant.db.visitMessage.updateMany({
    where: { id: { in: known.messageIds } },
    data: { state: 'planned', sentAt: null, dueAt },
  });
  document = await (await fetch(`${clinic.url}/api/v1/openapi.json`)).json();
  console.info(`fuzz: FUZZ_SEED=${seed} FUZZ_RUNS=${numRuns}`);
});
async function times<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  while (all.length < count) all.push(await make());
  return all;
}
async function newPatient(token: string): Promise<string> {
  const body = { first_name: 'Ada', email: `${newId()}@example.test` };
  return (await clinic.rest.call({ method: 'POST', path: '/patients', token, body })).body.id;
}
/** A visit that began a minute ago. */
async function begunVisit(token: string, offer: Offer, patient_id: string): Promise<string> {
  const body = { patient_id, appointment_type_id: offer.typeId, ...takeTime(offer) };
  const { id } = (await clinic.rest.call({ method: 'POST', path: '/appointments', token, body })).body;
  const startAt = new Date(Date.now() - MINUTE);
  const data = { startAt, endAt: new Date(startAt.getTime() + 30 * MINUTE) };
  await clinic.tenant.db.appointment.updateMany({ where: { id }, data });
  return id;
}
afterAll(async () => {
  for (const [name, statuses] of seen)
    console.info(`fuzz: ${name}: ${[...statuses].map(([status, n]) => `${status}×${n}`).join(' ')}`);
  await clinic?.stop();
});

/** What uses records up comes last; messages of a visit are sent as long as it stands where it was. */
const wear = ({ path, method }: Route) =>
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
const ROUTES_IN_ORDER = [...ROUTES].sort((a, b) => wear(a) - wear(b));
/** Whose ids a path takes, by how it begins. */
const idsOf = (): Record<string, string[]> => ({
  patients: known.patientIds,
  subscriptions: known.subscriptionIds,
  payments: known.paymentIds,
  payment_methods: known.cardIds,
  events: known.eventIds,
  practitioners: known.practitionerIds,
  webhook_endpoints: known.webhookIds,
  promotion_codes: ['WELCOME20', 'welcome20', 'GONE'],
  integrations: known.unknownIds,
});
const idsFor = ({ path }: Route) => {
  // Given to a patient who was here before, none can be made of it.
  if (path === '/appointments/unmatched/{id}/create_patient') return known.unmatchedIds.slice(3);
  if (path.startsWith('/appointments/unmatched')) return known.unmatchedIds.slice(0, 3);
  if (path.endsWith('/no_show')) return known.begunIds;
  // Each of the two uses them up.
  if (path.endsWith('/attach')) return known.unknownIds.slice(4);
  if (path.endsWith('/leave_alone')) return known.unknownIds.slice(0, 4);
  return idsOf()[path.split('/')[1]!] ?? known.appointmentIds;
};
const MOST_ROUNDS = 5;
const seen = new Map<string, Map<number, number>>();

test.each(ROUTES_IN_ORDER.map((route) => [nameOf(route), route] as const))(
  '%s answers anything within its contract, and never with a 5xx',
  async (name, route) => {
    const statuses = new Map<number, number>();
    seen.set(name, statuses);
    const cameThrough = () => [...statuses.keys()].some((status) => status < 300);
    // Few are right by chance where an application and one's own things are wanted: then others are tried.
    for (let round = 0; round < MOST_ROUNDS && !cameThrough(); round += 1)
      await fc.assert(
        fc.asyncProperty(arbitraryRequest(document, route, known, idsFor(route)), fc.nat(1), async (request, who) => {
          const answer = await clinic.rest.call({ ...request, token: tokens[who]! });
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          expect(answer.status, JSON.stringify(answer.body).slice(0, 500)).toBeLessThan(500);
        }),
        { seed: seed + round, numRuns, interruptAfterTimeLimit: 40_000 },
      );
    expect(cameThrough()).toBe(true);
  },
);
