import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CreatePlanInput } from '#contract/plan-changes.ts';
import { ROLES } from '#contract/roles.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { archivePlan, unarchivePlan } from '#server/plans/archive-plan.ts';
import { changePrice } from '#server/plans/change-price.ts';
import { createPlan } from '#server/plans/create-plan.ts';
import { countSubscriptions, listAllPlans } from '#server/plans/list-all-plans.ts';
import { listPlans } from '#server/plans/router.ts';
import { updatePlan } from '#server/plans/update-plan.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { asAdmin, asApplication, asPractitioner, asStaff, makeTenant } from './actors.ts';
import { type Clinic, withClinic } from './clinic.ts';

let billing: Clinic<'stripe' | 'clock'>;
let admin: Context;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true, clock: true });
  // A webhook would refresh the cached list too.
  billing.stripe.hold(true);
  admin = asAdmin(billing.services, billing.tenant);
  app = asApplication(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());
afterEach(() => billing.stripe.emulator.faults.clear());

const on = () => ({ stripeAccount: billing.stripe.accountId });
const monthly = { interval: 'month' as const, interval_count: 1 };
const dollars = (amount: number) => ({ unit_amount: amount * 100, currency: 'usd', recurring: monthly });
const newPlan = (wish: Partial<CreatePlanInput> = {}): CreatePlanInput => ({
  ...{ request_id: crypto.randomUUID(), name: 'Essential care', description: null, nickname: null },
  ...{ trial_period_in_days: null, ...dollars(49) },
  ...wish,
});
const made = async (wish: Partial<CreatePlanInput> = {}) => find((await createPlan(admin, newPlan(wish))).price_id);
async function find(id: string) {
  const plan = (await listAllPlans(admin)).items.find(({ price_id }) => price_id === id);
  if (!plan) throw new Error(`${id} is not listed`);
  return plan;
}
const target = ({ price_id, version }: { price_id: string; version: string }) => ({ price_id, version });
const only = ({ price_id }: { price_id: string }) => ({ price_id });
const offered = async () => (await listPlans(app, {})).items.map(({ id }) => id);
const pricesOf = async (product: string) =>
  (await billing.stripe.api.prices.list({ product, limit: 100 }, on())).data.map(({ id }) => id);
/** As Stripe’s dashboard does for the first price of a product. */
const makeDefault = ({ product, price_id }: { product: string; price_id: string }) =>
  billing.stripe.api.products.update(product, { default_price: price_id }, on());
const subscribe = async (price: string) =>
  createSubscription(app, { patient_id: await billing.patient(), price_ids: [price] });
const actions = async (ctx: Context) =>
  (
    await ctx.db.$queryRaw<{ action: string; details: object }[]>`
    select action, details from audit_entries where actor_id = ${(ctx.actor as { userId: string }).userId} order by id`
  ).map(({ action, details }) => [action, details]);
const entriesOf = async (objectId: string) =>
  (
    await admin.db.$queryRaw<{ action: string; details: object }[]>`
    select action, details from audit_entries where object_id = ${objectId} order by id`
  ).map(({ action, details }) => [action, details]);
const fail = (path: string, kind: string, method = 'POST') =>
  billing.stripe.emulator.faults.add({ match: { method, path }, kind, times: 100, holdMs: 10 });

describe('a new plan', () => {
  it('is offered at once, with everything that was typed', async () => {
    await offered();
    const wish = { description: 'Two calls.', nickname: 'Quarterly', trial_period_in_days: 14 };
    const plan = await made({ ...wish, recurring: { interval: 'month', interval_count: 3 } });
    expect(plan).toMatchObject({
      ...{ ...wish, name: 'Essential care', unit_amount: 4900, currency: 'usd', offered: true, others: 0 },
      recurring: { interval: 'month', interval_count: 3 },
    });
    expect(await offered()).toContain(plan.price_id);
    expect((await subscribe(plan.price_id)).trial_end).not.toBeNull();
  });

  it('is one, however often its form is sent', async () => {
    const input = newPlan({ name: 'Sent twice', nickname: 'Label' });
    fail('/v1/prices', '503');
    await expect(createPlan(admin, { ...input, ...dollars(48) })).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
    billing.stripe.emulator.faults.clear();
    const sent = await Promise.all([createPlan(admin, input), createPlan(admin, input)]);
    expect(new Set(sent.map(({ price_id }) => price_id)).size).toBe(1);
    const { items } = await listAllPlans(admin);
    expect(items.filter(({ name }) => name === 'Sent twice')).toMatchObject([{ nickname: 'Label' }]);
    expect(await entriesOf(sent[0]!.price_id)).toEqual([['plans.create', { name: 'Sent twice' }]]);
    await createPlan(admin, { ...input, request_id: crypto.randomUUID() });
    expect((await listAllPlans(admin)).items.filter(({ name }) => name === 'Sent twice')).toHaveLength(2);
  });

  it('has a currency of the account', async () => {
    await expect(createPlan(admin, newPlan({ currency: 'eur' }))).rejects.toMatchObject({
      faults: [{ code: 'invalid_parameter', detail: 'Choose USD.', source: { pointer: '/currency' } }],
    });
  });
});

describe('a changed plan', () => {
  it('has another name, description, label and trial, and the same price', async () => {
    const before = await made();
    const change = { name: 'Whole care', description: 'All of it', nickname: 'New', trial_period_in_days: 7 };
    await updatePlan(admin, { ...target(before), ...change });
    const after = await find(before.price_id);
    expect(after).toMatchObject({ ...change, unit_amount: 4900, offered: true });
    expect((await listPlans(app, {})).items.find(({ id }) => id === after.id)).toMatchObject(change);
    await updatePlan(admin, { ...target(after), ...change, description: null, trial_period_in_days: null });
    expect(await find(before.price_id)).toMatchObject({ description: null, trial_period_in_days: null });
    const unlabelled = { ...target(await find(before.price_id)), ...change, nickname: null };
    await updatePlan(admin, unlabelled);
    expect(await find(before.price_id)).toMatchObject({ nickname: null, trial_period_in_days: 7 });
  });

  it('loses a trial that is no number of days', async () => {
    const { price_id } = await made();
    await billing.stripe.api.prices.update(price_id, { metadata: { trial_period_in_days: 'soon' } }, on());
    const { name, description, nickname, trial_period_in_days, ...seen } = await find(price_id);
    await updatePlan(admin, { ...target(seen), name, description, nickname, trial_period_in_days });
    expect((await billing.stripe.api.prices.retrieve(price_id, {}, on())).metadata).toEqual({});
  });

  it.each([
    ['/v1/prices/:id', '503', ['name']],
    ['/v1/products/:id', 'reset_after', null],
  ])('is finished by the same request after a failure of %s (%s), and recorded', async (path, kind, recorded) => {
    const seen = await made();
    const details = { name: 'Half', description: null, nickname: 'Half', trial_period_in_days: null };
    fail(path, kind);
    await expect(updatePlan(admin, { ...target(seen), ...details })).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
    billing.stripe.emulator.faults.clear();
    await updatePlan(admin, { ...target(seen), ...details });
    expect(await find(seen.price_id)).toMatchObject(details);
    expect((await entriesOf(seen.price_id)).slice(1)).toEqual([
      ...(recorded ? [['plans.update', { name: 'Half', changed: recorded }]] : []),
      ['plans.update', { name: 'Half', changed: ['name', 'description', 'nickname'] }],
    ]);
  });

  it('is not changed again by someone who has not seen that', async () => {
    const seen = await made();
    const details = { name: 'First', description: null, nickname: null, trial_period_in_days: null };
    await updatePlan(admin, { ...target(seen), ...details });
    const stale = { code: 'conflict' };
    await expect(updatePlan(admin, { ...target(seen), ...details, name: 'Second' })).rejects.toMatchObject(stale);
    await expect(changePrice(admin, { ...target(seen), ...dollars(59) })).rejects.toMatchObject(stale);
    expect(await find(seen.price_id)).toMatchObject({ name: 'First', offered: true });
  });
});

describe('a new price', () => {
  it('takes the place of the old one, which live subscriptions keep', async () => {
    const before = await made({ nickname: 'Monthly', trial_period_in_days: 3 });
    await makeDefault(before);
    const { id } = await subscribe(before.price_id);
    expect(await countSubscriptions(admin, { price_id: before.price_id })).toEqual({ live_subscriptions: 1 });
    const { price_id } = await changePrice(admin, { ...target(before), ...dollars(59) });
    expect(await find(price_id)).toMatchObject({
      ...{ product: before.product, unit_amount: 5900, nickname: 'Monthly', trial_period_in_days: 3, offered: true },
    });
    expect(await find(before.price_id)).toMatchObject({ unit_amount: 4900, offered: false });
    const product = await billing.stripe.api.products.retrieve(before.product, {}, on());
    expect(product).toMatchObject({ active: true, default_price: price_id });
    expect((await billing.stripe.api.subscriptions.retrieve(id, {}, on())).items.data[0]?.price.id).toBe(before.id);
    expect(await offered()).toContain(price_id);
    await expect(subscribe(before.price_id)).rejects.toMatchObject({ code: 'price_not_offered' });
  });

  it.each([
    ['before the new price is the default', '/v1/products/:id', '503'],
    ['before the old price is archived', '/v1/prices/:id', '503'],
    ['while the answer about the new price is lost', '/v1/prices', 'reset_after'],
  ])('is finished by the same request after a crash %s', async (_, path, kind) => {
    const before = await made();
    await makeDefault(before);
    const change = { ...target(before), ...dollars(59) };
    fail(path, kind);
    await expect(changePrice(admin, change)).rejects.toMatchObject({ code: 'provider_unavailable' });
    billing.stripe.emulator.faults.clear();
    const other = { ...change, ...dollars(69) };
    await expect(changePrice(admin, other)).rejects.toMatchObject({ code: 'conflict' });
    const { price_id } = await changePrice(asAdmin(billing.services, billing.tenant), change);
    expect(await changePrice(admin, change)).toEqual({ price_id });
    const entry = ['plans.change_price', { name: 'Essential care', new_price_id: price_id }];
    expect((await entriesOf(before.price_id)).slice(1)).toEqual([entry]);
    expect((await pricesOf(before.product)).sort()).toEqual([before.price_id, price_id].sort());
    expect(await find(before.price_id)).toMatchObject({ offered: false });
  });

  it('is one when two change it at the same time', async () => {
    const before = await made();
    const changes = [59, 69, 59].map((amount) => changePrice(admin, { ...target(before), ...dollars(amount) }));
    const results = await Promise.allSettled(changes);
    const won = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value.price_id] : []));
    expect(new Set(won).size).toBe(1);
    for (const one of results)
      if (one.status === 'rejected') expect(['conflict', 'provider_unavailable']).toContain(one.reason.code);
    expect(await pricesOf(before.product)).toHaveLength(2);
  });

  it('can be given again after the old one was offered again', async () => {
    const before = await made();
    await changePrice(admin, { ...target(before), ...dollars(59) });
    await unarchivePlan(admin, only(await find(before.price_id)));
    const again = await find(before.price_id);
    await expect(changePrice(admin, { ...target(again), ...dollars(49) })).rejects.toMatchObject({
      faults: [{ code: 'invalid_parameter', source: { pointer: '/unit_amount' } }],
    });
    for (const amount of [79, 89, 59]) {
      await changePrice(admin, { ...target(await find(before.price_id)), ...dollars(amount) });
      await unarchivePlan(admin, only(before));
    }
    expect(await pricesOf(before.product)).toHaveLength(5);
    const metadata = (await listPlans(app, {})).items.filter(({ product }) => product === before.product);
    expect(metadata.map((plan) => plan.metadata)).toEqual(metadata.map(() => ({})));
  });
});

describe('an archived plan', () => {
  it('is refused at once, listed as archived, and can be offered again', async () => {
    const plan = await made();
    await offered();
    await archivePlan(admin, only(plan));
    await expect(subscribe(plan.price_id)).rejects.toMatchObject({ code: 'price_not_offered' });
    const archived = await find(plan.price_id);
    expect(archived.offered).toBe(false);
    await archivePlan(admin, only(plan));
    const gone = { ...target(archived), ...dollars(59) };
    await expect(changePrice(admin, gone)).rejects.toMatchObject({ code: 'conflict' });
    await unarchivePlan(admin, only(archived));
    expect(await offered()).toContain(plan.price_id);
  });

  it('is offered again together with a product that was archived at Stripe', async () => {
    const plan = await made();
    await billing.stripe.api.prices.create({ product: plan.product, ...dollars(99) }, on());
    await billing.stripe.api.products.update(plan.product, { active: false }, on());
    const archived = await find(plan.price_id);
    expect(archived).toMatchObject({ offered: false, others: 1, revives: 1 });
    await unarchivePlan(admin, only(archived));
    expect(await find(plan.price_id)).toMatchObject({ offered: true, revives: 0 });
  });

  it('is refused at once where a process with a faster clock has read the plans', async () => {
    const plan = await made();
    billing.clock.pass(30_000);
    await offered();
    billing.clock.pass(-30_000);
    await archivePlan(admin, only(plan));
    expect(await offered()).not.toContain(plan.price_id);
  });

  it('is not brought back by a slow read that began before', async () => {
    const plan = await made();
    fail('/v1/prices', 'slow_drip', 'GET');
    const slow = offered();
    await archivePlan(admin, only(plan));
    await slow;
    expect(await offered()).not.toContain(plan.price_id);
  });
});

describe('who may change plans', () => {
  it.each(ROLES)('%s', async (role) => {
    const plan = await made();
    const ctx = asStaff(billing.services, billing.tenant, role);
    const run = archivePlan(ctx, only(plan));
    if (role === 'admin' || role === 'billing') await run;
    else await expect(run).rejects.toMatchObject({ code: 'forbidden' });
    expect((await listAllPlans(ctx)).items.length).toBeGreaterThan(0);
  });

  it('is recorded with the plan’s name, without other values', async () => {
    const ctx = asAdmin(billing.services, billing.tenant, newId());
    const { price_id } = await createPlan(ctx, newPlan());
    const details = { name: 'Named', description: null, nickname: null, trial_period_in_days: 5 };
    await updatePlan(ctx, { ...target(await find(price_id)), ...details });
    const changed = await changePrice(ctx, { ...target(await find(price_id)), ...dollars(59) });
    await archivePlan(ctx, only(await find(changed.price_id)));
    await unarchivePlan(ctx, only(await find(changed.price_id)));
    expect(await actions(ctx)).toEqual([
      ['plans.create', { name: 'Essential care' }],
      ['plans.update', { name: 'Named', changed: ['name', 'trial_period_in_days'] }],
      ['plans.change_price', { name: 'Named', new_price_id: changed.price_id }],
      ['plans.archive', { name: 'Named' }],
      ['plans.unarchive', { name: 'Named' }],
    ]);
  });

  it('needs a connected account, and Stripe', async () => {
    const unconnected = asAdmin(billing.services, await makeTenant(billing.services));
    for (const run of [() => listAllPlans(unconnected), () => createPlan(unconnected, newPlan())])
      await expect(run()).rejects.toMatchObject({ code: 'integration_not_connected' });
    const plan = await made();
    fail('/v1/*', '503');
    const stripeIsDown = { code: 'provider_unavailable' };
    await expect(archivePlan(admin, only(plan))).rejects.toMatchObject(stripeIsDown);
    await expect(createPlan(admin, newPlan())).rejects.toMatchObject(stripeIsDown);
    const unknown = archivePlan(admin, { price_id: 'price_no' });
    await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
    fail('/v1/*', '503', 'GET');
    await expect(listAllPlans(asPractitioner(billing.services, billing.tenant))).rejects.toMatchObject(stripeIsDown);
  });
});
