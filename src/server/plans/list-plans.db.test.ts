import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Clock } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { getOfferedPlans } from './plan.ts';
import { getPlan, listPlans } from './router.ts';

let billing: Clinic<'stripe'>;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  // Price webhooks would invalidate the cached list at an unknown time.
  billing.stripe.hold(true);
  app = asApplication(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

const START = Date.now();
/** The given number of minutes after the suite started, independent of the run time. */
const later = (ctx: Context, minutes: number): Context => {
  const clock: Clock = { now: () => new Date(START + minutes * 60_000) };
  return { ...ctx, clock };
};
const down = () => billing.stripe.emulator.faults.add({ match: { path: '/v1/prices' }, kind: '503', times: 1000 });
afterEach(() => billing.stripe.emulator.faults.clear());

describe('plans', () => {
  it('are the active recurring prices, cheapest first, with trial and product', async () => {
    const dearer = await billing.stripe.price({ unit_amount: 9900 });
    const cheap = await billing.stripe.price({ unit_amount: 900, trial: '14', nickname: 'Starter' });
    const wrong = await billing.stripe.price({ unit_amount: 5000, trial: '1.5' });
    await billing.stripe.price({ recurring: undefined });
    const inactive = await billing.stripe.price();
    await billing.stripe.api.prices.update(inactive, { active: false }, { stripeAccount: billing.stripe.accountId });
    const { items } = await listPlans(later(app, 2), {});
    expect(items.map(({ id }) => id)).toEqual([cheap, wrong, dearer]);
    expect(items[0]).toEqual({
      id: cheap,
      price_id: cheap,
      active: true,
      nickname: 'Starter',
      name: 'Care plan',
      description: null,
      images: [],
      product: expect.stringMatching(/^prod_/),
      currency: 'usd',
      unit_amount: 900,
      unit_amount_decimal: '900',
      type: 'recurring',
      recurring: { interval: 'month', interval_count: 1 },
      trial_period_in_days: 14,
      metadata: { trial_period_in_days: '14' },
    });
    expect(items[1]?.trial_period_in_days).toBeNull();
  });

  it('are read from Stripe at most once a minute, and never served from an older cache', async () => {
    const first = await listPlans(later(app, 10), {});
    down();
    expect(await listPlans(later(app, 10.5), {})).toEqual(first);
    await expect(listPlans(later(app, 11.5), {})).rejects.toMatchObject({ code: 'provider_unavailable' });
  });

  it('created just now can be subscribed to immediately', async () => {
    await listPlans(app, {});
    const added = await billing.stripe.price({ unit_amount: 100 });
    expect(await getOfferedPlans(app, billing.stripe.accountId, [added])).toMatchObject([
      { id: added, unit_amount: 100 },
    ]);
    await expect(getOfferedPlans(app, billing.stripe.accountId, [added, 'price_unknown'])).rejects.toMatchObject({
      code: 'price_not_offered',
      faults: [{ source: { pointer: '/price_ids/1' } }],
    });
  });

  it('that are archived can be read singly, by staff and at the connected account only', async () => {
    const {
      services,
      tenant,
      stripe: { accountId },
    } = billing;
    const staff = asPractitioner(services, tenant);
    const price_id = await billing.stripe.price({ unit_amount: 4400, nickname: 'Archived' });
    await billing.stripe.api.prices.update(price_id, { active: false }, { stripeAccount: accountId });
    expect(await getPlan(staff, { price_id })).toMatchObject({
      ...{ id: price_id, name: 'Care plan', nickname: 'Archived', unit_amount: 4400, active: false },
    });
    await expect(getPlan(staff, { price_id: 'price_unknown' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(getPlan(app, { price_id })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('are returned in pages', async () => {
    const all = (await listPlans(later(app, 30), { size: 100 })).items.map(({ id }) => id);
    const first = await listPlans(later(app, 30), { size: 2 });
    expect(first.items.map(({ id }) => id)).toEqual(all.slice(0, 2));
    const second = await listPlans(later(app, 30), { size: 2, starting_after: first.next! });
    expect(second.items.map(({ id }) => id)).toEqual(all.slice(2, 4));
  });

  it('are visible to patients and applications with the scope, when Stripe is connected', async () => {
    const { services, tenant } = billing;
    expect((await listPlans(asPatient(services, tenant, crypto.randomUUID()), {})).items.length).toBeGreaterThan(0);
    const other = asApplication(services, tenant, ['patients:read']);
    await expect(listPlans(other, {})).rejects.toMatchObject({ code: 'forbidden' });
    const unconnected = asApplication(services, await makeTenant(services));
    await expect(listPlans(unconnected, {})).rejects.toMatchObject({ code: 'integration_not_connected' });
  });
});
