import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { cancelSubscription } from '../cancel/cancel-subscription.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { getSubscription } from '../sync/get-subscription.ts';
import { previewChange } from './preview-change.ts';
import { updateSubscription } from './update-subscription.ts';

let billing: Clinic<'stripe'>;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

async function active({ patient_id, ...options }: { trial?: string; patient_id?: string } = {}) {
  const price = await billing.stripe.price(options);
  const created = await createSubscription(app, {
    patient_id: patient_id ?? (await billing.patient()),
    price_ids: [price],
  });
  await billing.stripe.pay(created);
  const expectedStatus = options.trial ? 'trialing' : 'active';
  await expect.poll(async () => (await getSubscription(app, created)).status, { timeout: 10_000 }).toBe(expectedStatus);
  return { ...created, price };
}
const on = () => ({ stripeAccount: billing.stripe.accountId });
const invoicesOf = async (subscription: string) =>
  (await billing.stripe.api.invoices.list({ subscription }, on())).data;

describe('changing the items of a subscription', () => {
  it('costs what the preview showed, to the cent, and is recorded once for its requester', async () => {
    const { id } = await active();
    const dearer = await billing.stripe.price({ unit_amount: 9900 });
    const change = { id, price_ids: [dearer], proration: 'now' as const };
    const preview = await previewChange(app, change);
    const change_at = { ...change, proration_date: preview.proration_date };
    expect(preview).toMatchObject({ price_ids: [dearer], quantities: [1], next_invoice: { amount_due: 9900 } });
    expect(preview.due_now).toBe(preview.lines.reduce((sum, { amount }) => sum + amount, 0));
    expect(await invoicesOf(id)).toHaveLength(1);

    const staff = asPractitioner(billing.services, billing.tenant);
    const changed = await updateSubscription(staff, change_at);
    expect(changed).toMatchObject({ status: 'active', price_ids: [dearer], plan_price: 9900 });
    expect((await invoicesOf(id))[0]).toMatchObject({ status: 'paid', amount_paid: preview.due_now });
    expect((await updateSubscription(staff, change_at)).price_ids).toEqual([dearer]);
    expect(await invoicesOf(id)).toHaveLength(2);
    const audit = await app.db.auditEntry.findMany({ where: { objectId: id, action: 'subscriptions.update' } });
    expect(audit).toMatchObject([{ actorType: 'Practitioner', event: 'subscription.updated' }]);
  });

  it('to another billing interval previews the amounts due now and a year later', async () => {
    const { id } = await active();
    const yearly = await billing.stripe.price({ unit_amount: 49_000, interval: 'year' });
    for (const proration of ['now', 'next_invoice', 'none'] as const) {
      const preview = await previewChange(app, { id, price_ids: [yearly], proration });
      expect([proration, preview.due_now]).toEqual([proration, 49_000 + preview.proration_amount]);
      expect(preview.next_invoice).toMatchObject({ amount_due: 49_000, subtotal: 49_000, discount: 0, tax: 0 });
      const days = (Date.parse(preview.next_invoice!.date) - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(364);
    }
    const preview = await previewChange(app, { id, price_ids: [yearly], proration: 'now' });
    const { proration_date } = preview;
    const changed = await updateSubscription(app, { id, price_ids: [yearly], proration: 'now', proration_date });
    expect((await invoicesOf(id))[0]).toMatchObject({ amount_paid: preview.due_now });
    const drift = Date.parse(changed.upcoming_invoice_date!) - Date.parse(preview.next_invoice!.date);
    expect(Math.abs(drift)).toBeLessThan(10_000);
    const unchanged = await previewChange(app, { id, price_ids: [yearly] });
    expect(unchanged).toMatchObject({
      due_now: 0,
      next_invoice: { amount_due: 49_000, date: changed.upcoming_invoice_date },
    });
  });

  it('previews the next bill without a change, after its discount', async () => {
    const coupon = await billing.stripe.api.coupons.create({ percent_off: 20, duration: 'forever' }, on());
    const { id, price } = await active();
    await billing.stripe.api.subscriptions.update(id, { discounts: [{ coupon: coupon.id }] }, on());
    const { next_invoice } = await previewChange(app, { id, price_ids: [price] });
    expect(next_invoice).toMatchObject({ amount_due: 3920, subtotal: 4900, discount: 980, tax: 0 });
  });

  it('is billed with the next invoice unless the clinic has another setting', async () => {
    const { id, price } = await active();
    const change = { id, price_ids: [price], quantities: [2] };
    const later = await previewChange(app, change);
    expect(later).toMatchObject({ proration: 'next_invoice', due_now: 0 });
    expect(later.next_invoice!.amount_due).toBe(9800 + later.proration_amount);
    await app.db.tenant.update({ where: { id: billing.tenant.id }, data: { proration: 'none' } });
    expect(await previewChange(app, change)).toMatchObject({ proration: 'none', next_invoice: { amount_due: 9800 } });
    const changed = await updateSubscription(app, change);
    expect(changed.items).toEqual([expect.objectContaining({ price_id: price, quantity: 2 })]);
    await app.db.tenant.update({ where: { id: billing.tenant.id }, data: { proration: 'next_invoice' } });
  });

  it('records a rejected request in the audit log under its patient', async () => {
    const { id, patient_id } = await active();
    const reader = asApplication(billing.services, billing.tenant);
    await expect(previewChange(reader, { id, price_ids: ['price_unknown'] })).rejects.toMatchObject({ status: 422 });
    expect([...reader.trail.patients]).toEqual([patient_id]);
  });

  it('without proration accepts the date of its preview, also when our clock differs from Stripe’s', async () => {
    const { id, price } = await active();
    const behind = { ...app, clock: { now: () => new Date(Date.now() - 40 * DAY) } };
    const change = { id, price_ids: [price], quantities: [2], proration: 'none' as const };
    const { proration_date } = await previewChange(behind, change);
    expect(await previewChange(app, { ...change, proration_date })).toMatchObject({ proration_date, due_now: 0 });
    expect((await updateSubscription(app, { ...change, proration_date })).items).toMatchObject([{ quantity: 2 }]);
  });

  it('adds and removes prices next to an unchanged one, in a trial at no cost', async () => {
    const { id, price } = await active({ trial: '9' });
    const [one, two] = [await billing.stripe.price(), await billing.stripe.price()];
    const more = await updateSubscription(app, { id, price_ids: [price, one, two] });
    expect(more).toMatchObject({ status: 'trialing', plan_price: 3 * 4900 });
    const stored = more.items.find(({ price_id }) => price_id === price)!;
    const fewer = await updateSubscription(app, { id, price_ids: [price] });
    expect(fewer.items).toEqual([stored]);
    expect((await previewChange(app, { id, price_ids: [one] })).due_now).toBe(0);
  });

  it('undoes a scheduled cancellation, also in a trial', async () => {
    for (const options of [{}, { trial: '9' }]) {
      const { id } = await active(options);
      await cancelSubscription(app, { id, cancel_at_period_end: true });
      const undone = await updateSubscription(app, { id, cancel_at_period_end: false });
      expect(undone).toMatchObject({ cancel_at_period_end: false, cancel_at: null, canceled_at: null });
      expect(await updateSubscription(app, { id, cancel_at_period_end: false })).toEqual(undone);
    }
  });
});

describe('a price of another subscription of the patient', () => {
  it('is neither added nor previewed, unless allow_duplicate is set', async () => {
    const { id, patient_id, price } = await active();
    const other = await active({ patient_id });
    const change = { id, price_ids: [price, other.price] };
    const conflict = { code: 'conflict', faults: [{ meta: { subscription_id: other.id, status: 'active' } }] };
    await expect(previewChange(app, change)).rejects.toMatchObject(conflict);
    const own = asPatient(billing.services, billing.tenant, patient_id);
    for (const ctx of [app, own]) await expect(updateSubscription(ctx, change)).rejects.toMatchObject(conflict);
    expect((await getSubscription(app, { id })).price_ids).toEqual([price]);
    expect(await previewChange(app, { ...change, allow_duplicate: true })).toMatchObject({ subscription_id: id });
    const changed = await updateSubscription(app, { ...change, allow_duplicate: true });
    expect(changed.price_ids).toEqual(change.price_ids);
    // Both subscriptions have these prices already: nothing is added.
    expect((await updateSubscription(app, { ...change, quantities: [2, 1] })).items).toMatchObject([
      { quantity: 2 },
      {},
    ]);
  });

  it('is added once the other has ended, also when our copy is outdated', async () => {
    const { id, patient_id } = await active();
    const other = await active({ patient_id });
    billing.stripe.hold(true);
    await billing.stripe.api.subscriptions.cancel(other.id, {}, on());
    expect(await updateSubscription(app, { id, price_ids: [other.price] })).toMatchObject({ price_ids: [other.price] });
    billing.stripe.hold(false);
  });

  it('is not added while another change to it has an unknown outcome', async () => {
    const one = await active();
    const two = await active({ patient_id: one.patient_id });
    const price_ids = [await billing.stripe.price()];
    const match = { method: 'POST', path: '/v1/subscriptions/:id' };
    billing.stripe.emulator.faults.add({ match, kind: 'reset_before', times: 3 });
    await expect(updateSubscription(app, { id: one.id, price_ids })).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
    billing.stripe.emulator.faults.clear();
    const conflict = { code: 'conflict', faults: [{ meta: { subscription_id: one.id } }] };
    await expect(updateSubscription(app, { id: two.id, price_ids })).rejects.toMatchObject(conflict);
    const input = { patient_id: one.patient_id, price_ids };
    await expect(createSubscription(app, input)).rejects.toMatchObject(conflict);
    expect((await updateSubscription(app, { id: one.id, price_ids })).price_ids).toEqual(price_ids);
  });

  it('can be added elsewhere after Stripe rejected a change to it', async () => {
    const one = await active();
    const price_ids = [await billing.stripe.price()];
    const match = { method: 'POST', path: '/v1/subscriptions/:id' };
    billing.stripe.emulator.faults.add({ match, kind: '429', times: 3 });
    await expect(updateSubscription(app, { id: one.id, price_ids })).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
    billing.stripe.emulator.faults.clear();
    const { status } = await createSubscription(app, { patient_id: one.patient_id, price_ids });
    expect(status).toBe('incomplete');
  });

  it('is added once by two concurrent changes and a create', async () => {
    const one = await active();
    const two = await active({ patient_id: one.patient_id });
    const price_ids = [await billing.stripe.price()];
    const results = await Promise.allSettled([
      updateSubscription(app, { id: one.id, price_ids }),
      updateSubscription(app, { id: two.id, price_ids }),
      createSubscription(app, { patient_id: one.patient_id, price_ids }),
    ]);
    const rejected = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(rejected).toEqual(['conflict', 'conflict']);
  });
});

describe('a subscription with pause_collection set at Stripe', () => {
  it('shows it, without a next bill, until collection resumes', async () => {
    const { id, price } = await active();
    const resumes = Math.floor(Date.now() / 1000) + 90 * 24 * 3600;
    const pause_collection = { behavior: 'void' as const, resumes_at: resumes };
    await billing.stripe.api.subscriptions.update(id, { pause_collection }, on());
    const pause = { behavior: 'void', resumes_at: new Date(resumes * 1000).toISOString() };
    const paused = { status: 'active', pause_collection: pause, upcoming_invoice_date: null };
    await expect.poll(() => getSubscription(app, { id }), { timeout: 10_000 }).toMatchObject(paused);
    // The event of the first payment, made before, may come after it.
    const where = { objectId: id, eventTopic: 'updated' };
    const [event] = await app.db.event.findMany({ where, orderBy: { position: 'desc' } });
    expect(event).toMatchObject({ payload: paused });
    expect((await previewChange(app, { id, price_ids: [price] })).due_now).toBe(0);
    await billing.stripe.api.subscriptions.update(id, { pause_collection: '' }, on());
    await expect
      .poll(() => getSubscription(app, { id }), { timeout: 10_000 })
      .toMatchObject({ pause_collection: null, upcoming_invoice_date: expect.any(String) });
  });
});

describe('an invalid change', () => {
  it('returns the error of the contract, and changes nothing', async () => {
    const { id, price } = await active();
    const before = await getSubscription(app, { id });
    const yearly = await billing.stripe.price({ interval: 'year' });
    const euro = await billing.stripe.price({ currency: 'eur' });
    const other = { status: 422, code: 'invalid_parameter' };
    const rejected = async (input: object, fault: object) => {
      await expect(updateSubscription(app, { id, ...input })).rejects.toMatchObject(fault);
      await expect(previewChange(app, { id, price_ids: [price], ...input })).rejects.toMatchObject(fault);
    };
    await rejected({ price_ids: ['price_unknown'] }, { code: 'price_not_offered' });
    await rejected({ price_ids: [price, price] }, other);
    await rejected({ price_ids: [price, yearly] }, other);
    await rejected({ price_ids: [euro] }, other);
    await rejected({ price_ids: [price], quantities: [1, 2] }, other);
    await expect(updateSubscription(app, { id, quantities: [2] })).rejects.toMatchObject(other);
    expect(await getSubscription(app, { id })).toMatchObject({ items: before.items, cancel_at: null });
  });

  it('is rejected for unpaid or ended subscriptions, other callers, and patients who set the proration', async () => {
    const price = await billing.stripe.price();
    const created = await createSubscription(app, { patient_id: await billing.patient(), price_ids: [price] });
    const input = { id: created.id, price_ids: [await billing.stripe.price()] };
    await expect(updateSubscription(app, input)).rejects.toMatchObject({ code: 'conflict' });
    const anotherPatient = asPatient(billing.services, billing.tenant, await billing.patient());
    await expect(updateSubscription(anotherPatient, input)).rejects.toMatchObject({ code: 'not_found' });
    const otherTenant = asApplication(billing.services, await makeTenant(billing.services));
    await expect(previewChange(otherTenant, input)).rejects.toMatchObject({ code: 'not_found' });
    for (const billed of [{ proration: 'none' as const }, { proration_date: new Date().toISOString() }])
      await expect(
        updateSubscription(asPatient(billing.services, billing.tenant, created.patient_id), { ...input, ...billed }),
      ).rejects.toMatchObject({ code: 'forbidden' });
    const reader = asApplication(billing.services, billing.tenant, ['subscriptions:read']);
    await expect(updateSubscription(reader, input)).rejects.toMatchObject({ code: 'forbidden' });
    await cancelSubscription(app, { id: created.id });
    await expect(updateSubscription(app, input)).rejects.toMatchObject({ code: 'already_canceled' });
    await expect(previewChange(app, input)).rejects.toMatchObject({ code: 'already_canceled' });
  });
});
