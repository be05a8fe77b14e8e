import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { CreateSubscriptionInput } from '#contract/subscriptions.ts';
import { asApplication, asPatient, asPractitioner, countReplays, withKey } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { withProviderTimeout } from '#dev/testing/services.ts';
import type { Context } from '#server/core/context.ts';
import type { CarelaneError } from '#server/core/errors.ts';
import { cancelSubscription } from '../cancel/cancel-subscription.ts';
import { getSubscription } from '../sync/get-subscription.ts';
import { createSubscription } from './create-subscription.ts';
import { resolveSubscription } from './intent.ts';

/** In the fast run a response is lost by a reset connection, which takes no waiting. */
const LOST = process.env.PROVE
  ? { kind: 'timeout_before', code: 'provider_timeout' }
  : { kind: 'reset_before', code: 'provider_unavailable' };

let billing: Clinic<'stripe'>;
let price: string;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  price = await billing.stripe.price();
});
afterEach(() => {
  billing.stripe.hold(false);
  billing.stripe.emulator.faults.clear();
  vi.restoreAllMocks();
});
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
const app = () => asApplication(billing.services, billing.tenant);
const staff = () => asPractitioner(billing.services, billing.tenant);
type Input = CreateSubscriptionInput;
const newInput = async (more: Partial<Input> = {}): Promise<Input> => ({
  patient_id: await billing.patient(),
  price_ids: [price],
  ...more,
});
const create = (input: Input, ctx = app()) => createSubscription(ctx, input);
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: CarelaneError) => error.faults[0],
  );
async function atStripe(patientId: string) {
  const { data } = await billing.stripe.api.subscriptions.list({ status: 'all', limit: 100 }, on());
  return data.filter(({ metadata }) => metadata.patient_id === patientId);
}
const runningAt = async (patientId: string) =>
  (await atStripe(patientId)).filter(({ status }) => !['canceled', 'incomplete_expired'].includes(status));
const secretOf = (view: Awaited<ReturnType<typeof create>>) => view.latest_invoice?.payment_intent?.client_secret;
async function paid(input: Input) {
  const subscription = await create(input);
  await billing.stripe.pay(subscription);
  await expect
    .poll(async () => (await getSubscription(app(), { id: subscription.id })).status, { timeout: 10_000 })
    .toBe('active');
  return subscription;
}

describe('a second subscription with a price that the patient has', () => {
  test('is rejected for every caller, naming the first, unless allow_duplicate is set', async () => {
    const input = await newInput();
    const { id } = await paid(input);
    for (const ctx of [app(), staff(), asPatient(billing.services, billing.tenant, input.patient_id)])
      expect(await errorOf(create(input, ctx))).toEqual({
        code: 'conflict',
        detail: 'The patient already has a subscription to Care plan.',
        source: { pointer: '/price_ids' },
        meta: { subscription_id: id, status: 'active' },
      });
    expect(await runningAt(input.patient_id)).toHaveLength(1);
    const second = await create({ ...input, allow_duplicate: true }, staff());
    expect(second.id).not.toBe(id);
    expect(await runningAt(input.patient_id)).toHaveLength(2);
  });

  test.each(['trialing', 'active', 'past_due', 'unpaid', 'paused'])(
    'is a duplicate of one that is %s',
    async (status) => {
      const trial = await billing.stripe.price({ trial: '7' });
      const input = await newInput({ price_ids: [trial] });
      const ctx = app();
      const { id } = await create(input, ctx);
      if (status !== 'trialing') {
        billing.stripe.emulator.faults.clear();
        await ctx.db.subscription.updateMany({ where: { id }, data: { status } });
      }
      expect(await errorOf(create({ ...input, price_ids: [trial, await billing.stripe.price()] }))).toMatchObject({
        code: 'conflict',
        meta: { subscription_id: id },
      });
    },
  );

  test('is allowed for another patient or price, or once the first has ended at Stripe', async () => {
    const input = await newInput();
    const { id } = await paid(input);
    await create(await newInput());
    await create({ ...input, price_ids: [await billing.stripe.price()] });
    billing.stripe.hold(true);
    await billing.stripe.api.subscriptions.cancel(id, {}, on());
    expect((await app().db.subscription.findFirstOrThrow({ where: { id } })).status).toBe('active');
    expect(await create(input)).toMatchObject({ status: 'incomplete' });
  });
});

describe('an incomplete subscription', () => {
  test('is returned again for an equal request, with its secret except to staff', async () => {
    const input = await newInput();
    const first = await create(input);
    const { ctx, counts } = countReplays(app());
    const patient = asPatient(billing.services, billing.tenant, input.patient_id);
    for (const callerCtx of [ctx, withKey(app(), 'a-new-key'), patient, staff()]) {
      const repeated = await create({ ...input, cancel_at_period_end: false }, callerCtx);
      expect(repeated.id).toBe(first.id);
      expect(secretOf(repeated)).toBe(callerCtx.actor.kind === 'practitioner' ? undefined : secretOf(first));
    }
    expect(counts.replays).toBe(0);
    expect(await atStripe(input.patient_id)).toHaveLength(1);
  });

  test('stays bound to the key under which it was returned, also once it is paid', async () => {
    const input = await newInput();
    const first = await create(input);
    const ctx = withKey(app(), 'given-again');
    expect((await create(input, ctx)).id).toBe(first.id);
    await billing.stripe.pay(first);
    expect(await create(input, ctx)).toMatchObject({ id: first.id, status: 'active' });
    expect(await errorOf(create(input, withKey(ctx, 'another')))).toMatchObject({ code: 'conflict' });
  });

  test('is created again after an interrupted request had voided its bill', async () => {
    const input = await newInput();
    const first = await create(input);
    const match = { method: 'DELETE', path: '/v1/subscriptions/:id' };
    billing.stripe.emulator.faults.add({ match, kind: '500', times: 2 });
    const other = create({ ...input, cancel_at_period_end: true });
    expect(await errorOf(other)).toMatchObject({ code: 'provider_error' });
    billing.stripe.emulator.faults.clear();
    const bill = async () => (await getSubscription(app(), { id: first.id })).latest_invoice?.status;
    await expect.poll(bill, { timeout: 10_000 }).toBe('void');
    const repeated = await create(input);
    expect(repeated).toMatchObject({ status: 'incomplete', next_action: 'payment' });
    expect((await runningAt(input.patient_id)).map(({ id }) => id)).toEqual([repeated.id]);
  });

  test('is ended for a different request, in the name of its requester', async () => {
    const input = await newInput();
    const first = await create(input);
    const ctx = staff();
    const second = await create({ ...input, cancel_at_period_end: true }, ctx);
    expect(second).toMatchObject({ status: 'incomplete', cancel_at_period_end: true });
    expect((await runningAt(input.patient_id)).map(({ id }) => id)).toEqual([second.id]);
    const entry = await ctx.db.auditEntry.findFirstOrThrow({
      where: { action: 'subscriptions.cancel', objectId: first.id },
    });
    expect(entry.details).toMatchObject({ replaced: true });
  });

  test('that was just paid without a webhook is not ended: the new request is rejected', async () => {
    const input = await newInput();
    const first = await create(input);
    billing.stripe.hold(true);
    await billing.stripe.pay(first);
    for (const more of [{ cancel_at_period_end: true }, {}])
      expect(await errorOf(create({ ...input, ...more }))).toMatchObject({
        code: 'conflict',
        meta: { subscription_id: first.id, status: 'active' },
      });
    expect((await atStripe(input.patient_id)).map(({ status }) => status)).toEqual(['active']);
  });
});

describe('a subscription whose first payment is in progress', () => {
  test('rejects a different request, and is not ended', async () => {
    const input = await newInput();
    const first = await create(input);
    const { payment_intent } = billing.stripe.emulator.world.state.accounts[billing.stripe.accountId]!.objects;
    payment_intent[first.latest_invoice!.payment_intent!.id]!.status = 'processing';
    const conflict = { code: 'conflict', meta: { subscription_id: first.id, status: 'incomplete' } };
    expect(await errorOf(create({ ...input, cancel_at_period_end: true }))).toMatchObject(conflict);
    expect(await runningAt(input.patient_id)).toMatchObject([{ id: first.id, status: 'incomplete' }]);
  });

  test('is not ended when it is paid after it was read, so no payment is lost', async () => {
    const input = await newInput();
    const first = await create(input);
    const { invoices, subscriptions } = billing.services.providers.stripe();
    const payBefore = <Name extends string>(resource: Record<Name, (...args: never[]) => unknown>, name: Name) => {
      const call = resource[name].bind(resource);
      vi.spyOn(resource as Record<string, (...args: never[]) => unknown>, name).mockImplementation(async (...args) => {
        await billing.stripe.pay(first);
        return call(...args);
      });
    };
    payBefore(invoices, 'voidInvoice');
    payBefore(subscriptions, 'cancel');
    const conflict = { code: 'conflict', meta: { subscription_id: first.id, status: 'active' } };
    expect(await errorOf(create({ ...input, cancel_at_period_end: true }))).toMatchObject(conflict);
    expect(await runningAt(input.patient_id)).toMatchObject([{ id: first.id, status: 'active' }]);
  });
});

describe('concurrent requests', () => {
  const createAll = async (inputs: Input[], ctxOf: (n: number) => Context = app) => {
    const results = await Promise.allSettled(inputs.map((input, n) => create(input, ctxOf(n))));
    const ids = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []));
    const errors = results.flatMap((one) => (one.status === 'rejected' ? [(one.reason as CarelaneError).code] : []));
    return { ids: new Set(ids), errors: new Set(errors) };
  };

  test('that are equal, from eight callers or under eight keys, make one subscription', async () => {
    const [input, keyed] = [await newInput(), await newInput()];
    const ctx = app();
    const eightTimes = (one: Input) => Array.from({ length: 8 }, () => one);
    expect(await createAll(eightTimes(input))).toMatchObject({ ids: { size: 1 }, errors: { size: 0 } });
    expect(await createAll(eightTimes(keyed), (n) => withKey(ctx, `at-once-${n}`))).toMatchObject({ ids: { size: 1 } });
    for (const { patient_id } of [input, keyed]) expect(await atStripe(patient_id)).toHaveLength(1);
  });

  test('that differ leave one running; the others are rejected or ended', async () => {
    const input = await newInput();
    const inputs = [input, { ...input, cancel_at_period_end: true }, input, { ...input, cancel_at_period_end: true }];
    const { ids, errors } = await createAll(inputs);
    expect(ids.size).toBeGreaterThan(0);
    expect([...errors].every((code) => code === 'conflict')).toBe(true);
    expect(await runningAt(input.patient_id)).toHaveLength(1);
  });

  test('for a trial from eight callers make one trial', async () => {
    const input = await newInput({ price_ids: [await billing.stripe.price({ trial: '7' })] });
    const { ids } = await createAll(Array.from({ length: 8 }, () => input));
    expect(ids.size).toBe(1);
    expect(await atStripe(input.patient_id)).toHaveLength(1);
  });
});

test('a failed request makes no second subscription when it is retried later', async () => {
  const input = await newInput();
  const ctx = withKey(app(), 'came-to-nothing');
  billing.stripe.emulator.faults.add({
    match: { method: 'POST', path: '/v1/subscriptions' },
    kind: LOST.kind,
    times: 3,
    holdMs: 30_000,
  });
  await expect(create(input, withProviderTimeout(ctx))).rejects.toMatchObject({ code: LOST.code });
  expect(await errorOf(create({ ...input, cancel_at_period_end: true }))).toMatchObject({ code: 'conflict' });
  billing.stripe.emulator.faults.clear();
  const { id: intentId } = await ctx.db.subscriptionIntent.findFirstOrThrow({ where: { patientId: input.patient_id } });
  await resolveSubscription(billing.services, { tenantId: billing.tenant.id, intentId });
  const { id } = await paid(input);
  expect(await errorOf(create(input, ctx))).toMatchObject({ code: 'conflict', meta: { subscription_id: id } });
  await cancelSubscription(app(), { id });
  expect((await create(input, ctx)).status).toBe('incomplete');
  expect(await runningAt(input.patient_id)).toHaveLength(1);
});
