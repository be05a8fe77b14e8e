import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asApplication, asPatient, asPractitioner, countReplays, makeTenant, withKey } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { withProviderTimeout } from '#dev/testing/services.ts';
import type { Context } from '#server/core/context.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { getPayment, listPayments } from './list-payments.ts';
import { refundPayment } from './refund-payment.ts';

const WITHIN = { timeout: 10_000 };
let billing: Clinic<'stripe'>;
let app: Context;
let staff: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
  staff = asPractitioner(billing.services, billing.tenant);
});
afterEach(() => {
  billing.stripe.hold(false);
  billing.stripe.emulator.faults.clear();
});
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
async function paid(card?: string) {
  const subscription = await createSubscription(app, {
    patient_id: await billing.patient(),
    price_ids: [await billing.stripe.price()],
  });
  await billing.stripe.pay(subscription, card);
  const first = async () => (await listPayments(app, { subscription_id: subscription.id })).items[0];
  await expect.poll(async () => (await first())?.status, WITHIN).toBe('paid');
  return (await first())!;
}
const refundsAt = async (id: string) => {
  const { payments } = await billing.stripe.api.invoices.retrieve(id, { expand: ['payments'] }, on());
  const payment_intent = payments!.data[0]!.payment.payment_intent as string;
  return (await billing.stripe.api.refunds.list({ payment_intent }, on())).data;
};
const eventsOf = (objectId: string) => app.db.event.findMany({ where: { objectId, eventTopic: 'refunded' } });

describe('a refund', () => {
  it('refunds a part and then the rest, to the cent, with one event each in the name of the requester', async () => {
    const payment = await paid();
    const some = await refundPayment(staff, { id: payment.id, amount: 1901, reason: 'requested_by_customer' });
    expect(some).toMatchObject({ status: 'paid', amount_paid: 4900, amount_refunded: 1901 });
    expect(some.refunds).toMatchObject([{ amount: 1901, status: 'succeeded', reason: 'requested_by_customer' }]);
    const rest = await refundPayment(app, { id: payment.id });
    expect(rest.amount_refunded).toBe(4900);
    expect(rest.refunds.map(({ amount }) => amount)).toEqual([1901, 2999]);
    await expect.poll(async () => app.db.inboundEvent.count({ where: { processedAt: null } }), WITHIN).toBe(0);
    const events = await eventsOf(payment.subscription_id);
    expect(events.map(({ authorType }) => authorType)).toEqual(['Practitioner', 'Application']);
    expect(events[1]!.payload).toMatchObject({ id: payment.subscription_id, payment: { amount_refunded: 4900 } });
    const audit = await app.db.auditEntry.findMany({ where: { action: 'payments.refund', outcome: null } });
    expect(audit).toHaveLength(2);
    const row = await app.db.subscription.findFirstOrThrow({ where: { id: payment.subscription_id } });
    expect(row.asked).toEqual([]);
  });

  it('is rejected above the remaining amount, for unpaid or unknown payments, and for patients', async () => {
    const payment = await paid();
    const { id } = payment;
    const tooMuch = { code: 'invalid_parameter', faults: [{ source: { pointer: '/amount' } }] };
    await expect(refundPayment(staff, { id, amount: 4901 })).rejects.toMatchObject(tooMuch);
    await refundPayment(staff, { id, amount: 4000 });
    await expect(refundPayment(staff, { id, amount: 901 })).rejects.toMatchObject(tooMuch);
    await refundPayment(staff, { id });
    await expect(refundPayment(staff, { id })).rejects.toMatchObject({ code: 'conflict' });
    await expect(refundPayment(staff, { id, amount: 1 })).rejects.toMatchObject({ code: 'conflict' });
    expect(await refundsAt(id)).toHaveLength(2);

    const patient_id = await billing.patient();
    const open = await createSubscription(app, { patient_id, price_ids: [await billing.stripe.price()] });
    const unpaid = async () => (await listPayments(app, { subscription_id: open.id })).items[0];
    await expect.poll(async () => (await unpaid())?.status, WITHIN).toBe('open');
    await expect(refundPayment(staff, { id: (await unpaid())!.id })).rejects.toMatchObject({ code: 'conflict' });

    const otherTenant = asPractitioner(billing.services, await makeTenant(billing.services));
    await expect(refundPayment(otherTenant, { id })).rejects.toMatchObject({ code: 'not_found' });
    await expect(refundPayment(staff, { id: 'in_none' })).rejects.toMatchObject({ code: 'not_found' });
    const patient = asPatient(billing.services, billing.tenant, payment.patient_id);
    await expect(refundPayment(patient, { id })).rejects.toMatchObject({ code: 'forbidden' });
    const writer = asApplication(billing.services, billing.tenant, ['subscriptions:read', 'subscriptions:write']);
    await expect(refundPayment(writer, { id })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('of a disputed payment is rejected', async () => {
    const payment = await paid('4000000000000259');
    await expect(refundPayment(staff, { id: payment.id })).rejects.toMatchObject({ code: 'conflict' });
    expect(await refundsAt(payment.id)).toEqual([]);
  });

  it('is made once per key, for concurrent equal requests, and for an equal request within minutes', async () => {
    const { id } = await paid();
    const keyed = countReplays(withKey(app, 'refund-1'));
    await refundPayment(keyed.ctx, { id, amount: 100 });
    const again = await refundPayment(keyed.ctx, { id, amount: 100 });
    expect([again.amount_refunded, keyed.counts.replays]).toEqual([100, 1]);
    await refundPayment(withKey(app, 'refund-2'), { id, amount: 100 });
    expect((await getPayment(app, { id })).amount_refunded).toBe(200);
    const repeats = await Promise.all([1, 2, 3].map(() => refundPayment(staff, { id, amount: 50 })));
    expect(repeats.map(({ amount_refunded }) => amount_refunded)).toEqual([250, 250, 250]);
    expect((await refundPayment(staff, { id, amount: 50 })).amount_refunded).toBe(250);
    expect(await refundsAt(id)).toHaveLength(3);
  });

  it.each(['timeout_before', 'timeout_after'] as const)(
    'with an unknown outcome (%s) is looked up by the retry, and made once',
    async (kind) => {
      const payment = await paid();
      billing.stripe.hold(true);
      billing.stripe.emulator.faults.add({ match: { method: 'POST', path: '/v1/refunds' }, kind, times: 2 });
      const keyed = withKey(staff, `refund-${kind}`);
      const request = { id: payment.id, amount: 700 };
      const timeoutError = { code: 'provider_timeout', faults: [{ meta: { outcome: 'unknown' } }] };
      await expect(refundPayment(withProviderTimeout(keyed, 400), request)).rejects.toMatchObject(timeoutError);
      billing.stripe.emulator.faults.clear();
      expect((await refundPayment(keyed, request)).amount_refunded).toBe(700);
      expect(await refundsAt(payment.id)).toHaveLength(1);
      const events = await eventsOf(payment.subscription_id);
      expect(events.map(({ authorType }) => authorType)).toEqual(['Practitioner']);
    },
  );

  it('that a webhook reports before the response is attributed to its requester', async () => {
    const payment = await paid();
    billing.stripe.emulator.faults.add({
      match: { method: 'POST', path: '/v1/refunds' },
      kind: 'timeout_after',
      times: 2,
    });
    const timedOut = refundPayment(withProviderTimeout(staff, 400), { id: payment.id });
    await expect(timedOut).rejects.toMatchObject({ code: 'provider_timeout' });
    await expect.poll(async () => (await eventsOf(payment.subscription_id)).length, WITHIN).toBe(1);
    expect(await eventsOf(payment.subscription_id)).toMatchObject([{ authorType: 'Practitioner' }]);
    expect(await refundsAt(payment.id)).toHaveLength(1);
    await expect(refundPayment(staff, { id: payment.id })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('that fails later refunds nothing, and another can be made', async () => {
    const payment = await paid('4000000000005126');
    expect((await refundPayment(staff, { id: payment.id })).refunds).toMatchObject([{ status: 'pending' }]);
    await billing.stripe.control('clock', { advance_seconds: 24 * 3600 + 120 });
    await expect.poll(async () => (await getPayment(app, payment)).refunds[0]!.status, WITHIN).toBe('failed');
    expect((await getPayment(app, payment)).amount_refunded).toBe(0);
  });
});
