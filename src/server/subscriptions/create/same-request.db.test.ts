import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asApplication, asPractitioner, countReplays, withKey } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { withProviderTimeout } from '#dev/testing/services.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { cancelSubscription } from '../cancel/cancel-subscription.ts';
import { createSubscription } from './create-subscription.ts';

let billing: Clinic<'stripe'>;
let price: string;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  price = await billing.stripe.price();
});
afterEach(() => billing.stripe.emulator.faults.clear());
afterAll(() => billing?.stop());

const application = () => countReplays(asApplication(billing.services, billing.tenant));
const newInput = async () => ({ patient_id: await billing.patient(), price_ids: [price] });
async function atStripe(patientId: string): Promise<number> {
  const on = { stripeAccount: billing.stripe.accountId };
  const { data } = await billing.stripe.api.subscriptions.list({ status: 'all', limit: 100 }, on);
  return data.filter(({ metadata }) => metadata.patient_id === patientId).length;
}
const later = (ctx: Context, ms: number): Context => ({
  ...ctx,
  clock: { now: () => new Date(Date.now() + ms) },
});

describe('an equal request without a key', () => {
  test('returns the first subscription with its secret', async () => {
    const input = await newInput();
    const { ctx, counts } = application();
    const first = await createSubscription(ctx, input);
    expect(counts.replays).toBe(0);
    const again = await createSubscription(ctx, input);
    expect(again.id).toBe(first.id);
    expect(again.latest_invoice?.payment_intent?.client_secret).toBe(
      first.latest_invoice?.payment_intent?.client_secret,
    );
    expect(counts.replays).toBe(1);
    expect(await atStripe(input.patient_id)).toBe(1);
  });

  test('sent ten times concurrently creates one subscription', async () => {
    const input = await newInput();
    const { ctx, counts } = application();
    const made = await Promise.all(Array.from({ length: 10 }, () => createSubscription(ctx, input)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(counts.replays).toBe(9);
    expect(await atStripe(input.patient_id)).toBe(1);
  });

  test('finishes a create whose response from Stripe was lost', async () => {
    const input = await newInput();
    const { ctx } = application();
    billing.stripe.emulator.faults.add({
      match: { method: 'POST', path: '/v1/subscriptions' },
      kind: 'timeout_after',
      times: 3,
      holdMs: 30_000,
    });
    const timedOut = createSubscription(withProviderTimeout(ctx), input);
    await expect(timedOut).rejects.toMatchObject({ code: 'provider_timeout' });
    billing.stripe.emulator.faults.clear();
    await createSubscription(ctx, input);
    expect(await atStripe(input.patient_id)).toBe(1);
  });

  test('returns the same subscription once it is paid', async () => {
    const input = await newInput();
    const { ctx } = application();
    const first = await createSubscription(ctx, input);
    await billing.stripe.pay(first);
    const second = await createSubscription(ctx, input);
    expect(second).toMatchObject({ id: first.id, status: 'active' });
  });

  test('creates a new one when the first has ended, and is a new request after ten minutes', async () => {
    const input = await newInput();
    const { ctx, counts } = application();
    const first = await createSubscription(ctx, input);
    await cancelSubscription(ctx, { id: first.id });
    const second = await createSubscription(ctx, input);
    expect(second.id).not.toBe(first.id);
    expect((await createSubscription(later(ctx, 9 * MINUTE), input)).id).toBe(second.id);
    await billing.stripe.pay(second);
    await expect(createSubscription(later(ctx, 11 * MINUTE), input)).rejects.toMatchObject({ code: 'conflict' });
    expect(counts.replays).toBe(1);
  });

  test('is distinguished by credential, input and an unused key', async () => {
    const input = { ...(await newInput()), allow_duplicate: true };
    const { ctx, counts } = application();
    const others: [Context, object][] = [
      [ctx, {}],
      [asApplication(billing.services, billing.tenant), {}],
      [asPractitioner(billing.services, billing.tenant), {}],
      [ctx, { cancel_at_period_end: true }],
      [withKey(ctx, 'never-seen'), {}],
    ];
    for (const [other, more] of others) await createSubscription(other, { ...input, ...more });
    expect(await atStripe(input.patient_id)).toBe(others.length);
    expect(counts.replays).toBe(0);
  });
});
