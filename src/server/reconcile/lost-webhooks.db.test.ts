import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { shuffleDeliveries } from '#dev/testing/invariants/stripe-truth.ts';
import { type Lifecycle, resendAll, runLifecycles } from '#dev/testing/lifecycles.ts';
import { reconcileFor } from '#dev/testing/reconciling.ts';
import { SEED, seededRandom } from '#dev/testing/seed.ts';
import type { Context } from '#server/core/context.ts';
import { reconcileStripe } from './reconcile-stripe.ts';

/** Orders of the events of all six lives, each with another random tenth lost. */
const ROUNDS = Number(process.env.TEST_ORDERS ?? 1);
/** Clinics that run in parallel with six lives each, so that the waits for the database overlap. */
const CLINICS = Math.max(1, Math.min(4, Math.floor(ROUNDS / 10)));

type ClinicRun = { n: number; billing: Clinic<'stripe'>; lives: Lifecycle[]; resetEventCursor(): Promise<unknown> };
const clinics: ClinicRun[] = [];
beforeAll(async () => {
  for (let n = 0; n < CLINICS; n++) clinics.push(await openClinic(n));
}, 240_000);
afterAll(() => Promise.all(clinics.map(({ billing }) => billing.stop())));

async function openClinic(n: number): Promise<ClinicRun> {
  const billing = await withClinic({ stripe: true });
  const app: Context = asApplication(billing.services, billing.tenant);
  await reconcileStripe(billing.services, { tenantId: app.tenantId });
  const { lastEventId, previousEventId } = await app.db.stripeReconcile.findFirstOrThrow();
  const lives = await runLifecycles(billing, app);
  return {
    ...{ n, billing, lives },
    /** As if the service had read no events since the lives started. */
    resetEventCursor: () => app.db.stripeReconcile.updateMany({ data: { lastEventId, previousEventId } }),
  };
}

/** Runs this clinic's share of the rounds. */
async function runRounds({ n, billing, lives, resetEventCursor }: ClinicRun): Promise<{ lost: number; all: number }> {
  const next = seededRandom(SEED + n);
  let now = new Date();
  let lost = 0;
  let all = 0;
  for (let round = n; round < ROUNDS; round += CLINICS) {
    await resetEventCursor();
    for (const { forget: dropEvents } of lives) await dropEvents();
    const isTied = Math.floor(round / CLINICS) % 2 === 1;
    const events = lives.flatMap((life) => resendAll(billing, life.events, { tied: isTied }));
    // The last event of one life, and a random tenth of the others.
    const last = lives.at(-1)!.events.at(-1)!;
    const isLost = new Set(events.filter(({ rawBody }) => idOf(rawBody) === idOf(last.rawBody) || next() < 0.1));
    const arrived = shuffleDeliveries(events, next).filter((one) => !isLost.has(one));
    all += events.length;
    lost += isLost.size;
    for (const delivery of arrived) await billing.stripe.deliver(delivery);
    now = await reconcileFor(billing.services, billing.tenant.id, { from: now });
    for (const { name, differences } of lives) expect([round, name, await differences()]).toEqual([round, name, []]);
  }
  return { lost, all };
}

describe(`subscription lifecycles with a random tenth of the webhooks lost (seed ${SEED})`, () => {
  it(`match Stripe within the bound, ${ROUNDS} times`, async () => {
    const counts = await Promise.all(clinics.map(runRounds));
    const sum = (of: 'lost' | 'all') => counts.reduce((total, one) => total + one[of], 0);
    console.info(
      `lost webhooks: seed ${SEED}, ${sum('lost')} of ${sum('all')} in ${ROUNDS} rounds of six lives, ` +
        `${CLINICS} clinics side by side, all states Stripe’s`,
    );
    for (const { lost } of counts) expect(lost).toBeGreaterThan(0);
  }, 1_800_000);
});

const idOf = (rawBody: string): string => JSON.parse(rawBody).id;
