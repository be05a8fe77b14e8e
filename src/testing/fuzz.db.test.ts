import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES, type Route } from '#contract/routes.ts';
import { arbitraryRequest, type Known } from './arbitrary-request.ts';
import { type Clinic, startClinic } from './clinic.ts';
import { makeTarget, nameOf, readOffer } from './sample-requests.ts';

/** `FUZZ_SEED` replays a run, `FUZZ_RUNS` makes it longer. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.FUZZ_RUNS ?? 40);

let clinic: Clinic;
let tokens: string[];
let known: Known;
let document: unknown;

beforeAll(async () => {
  clinic = await startClinic();
  const credentials = await clinic.application(clinic.tenant);
  const application = await clinic.token(credentials);
  const offer = await readOffer(clinic, application);
  const targets = [];
  for (let n = 0; n < 4; n += 1)
    targets.push(await makeTarget(clinic, application, offer, { priceId: offer.trialPriceId }));
  tokens = [application, await clinic.impersonate(credentials, targets[0]!.patientId)];
  known = {
    patientIds: targets.map((target) => target.patientId),
    subscriptionIds: targets.map((target) => target.subscriptionId),
    appointmentIds: targets.map((target) => target.appointmentId),
    eventIds: targets.map((target) => target.eventId),
    webhookIds: targets.slice(-1).map((target) => target.webhookId),
    deliveryIds: targets.slice(-1).map((target) => target.deliveryId),
    priceIds: [offer.priceId],
    numbers: [offer.typeId, offer.times[0]!.calendar_id, 7],
    times: offer.times.map((time) => time.from_date),
  };
  document = await (await fetch(`${clinic.url}/api/v1/openapi.json`)).json();
  console.info(`fuzz: FUZZ_SEED=${seed} FUZZ_RUNS=${numRuns}`);
});
afterAll(async () => {
  for (const [name, statuses] of seen)
    console.info(`fuzz: ${name}: ${[...statuses].map(([status, n]) => `${status}×${n}`).join(' ')}`);
  await clinic?.stop();
});

/** What uses records up comes last. */
const wear = ({ path, method }: Route) =>
  path.endsWith('/archive') ? 2 : path.includes('cancel') ? 1 : method === 'DELETE' ? 3 : method === 'PATCH' ? 1 : 0;
const ROUTES_IN_ORDER = [...ROUTES].sort((a, b) => wear(a) - wear(b));
const idsFor = ({ path }: Route) =>
  path.startsWith('/patients')
    ? known.patientIds
    : path.startsWith('/subscriptions')
      ? known.subscriptionIds
      : path.startsWith('/events')
        ? known.eventIds
        : path.startsWith('/webhook')
          ? known.webhookIds
          : path.startsWith('/promotion_codes')
            ? ['WELCOME20', 'welcome20', 'GONE']
            : known.appointmentIds;
const seen = new Map<string, Map<number, number>>();

test.each(ROUTES_IN_ORDER.map((route) => [nameOf(route), route] as const))(
  '%s answers anything within its contract, and never with a 5xx',
  async (name, route) => {
    const statuses = new Map<number, number>();
    seen.set(name, statuses);
    await fc.assert(
      fc.asyncProperty(arbitraryRequest(document, route, known, idsFor(route)), fc.nat(1), async (request, who) => {
        const answer = await clinic.rest.call({ ...request, token: tokens[who]! });
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect(answer.status, JSON.stringify(answer.body).slice(0, 500)).toBeLessThan(500);
      }),
      { seed, numRuns, interruptAfterTimeLimit: 40_000 },
    );
    expect([...statuses.keys()].some((status) => status < 300)).toBe(true);
  },
);
