import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asApplication, asPatient, asPractitioner } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context } from '#server/core/context.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { listSubscriptions } from '../records/list-subscriptions.ts';
import { getSubscription } from '../sync/get-subscription.ts';
import { cancelSubscription } from './cancel-subscription.ts';

let billing: Clinic<'stripe'>;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

async function create(options: { trial?: string; patient?: string } = {}) {
  const price = await billing.stripe.price(options.trial ? { trial: options.trial } : {});
  return createSubscription(app, { patient_id: options.patient ?? (await billing.patient()), price_ids: [price] });
}
async function active() {
  const subscription = await create();
  await billing.stripe.pay(subscription);
  await expect.poll(async () => (await getSubscription(app, subscription)).status, { timeout: 10_000 }).toBe('active');
  return subscription;
}

describe('canceling', () => {
  it('immediately ends the subscription, and a repeated request returns the same response', async () => {
    const { id } = await active();
    const first = await cancelSubscription(app, { id });
    expect(first).toMatchObject({ status: 'canceled', next_action: 'none', ended_at: expect.any(String) });
    expect(await cancelSubscription(app, { id })).toEqual(first);
    const audit = await app.db.auditEntry.findMany({ where: { objectId: id, action: 'subscriptions.cancel' } });
    expect(audit).toHaveLength(1);
  });

  it('immediately also ends a subscription that was never paid', async () => {
    const { id } = await create();
    const canceled = await cancelSubscription(app, { id });
    expect(['canceled', 'incomplete_expired']).toContain(canceled.status);
    expect(canceled.next_action).toBe('none');
    // `canceled_at` distinguishes it from one that expired.
    expect(canceled).toMatchObject({ canceled_at: expect.any(String), ended_at: canceled.canceled_at });
  });

  it('at period end keeps it running until then', async () => {
    const { id } = await active();
    const flagged = await cancelSubscription(app, { id, cancel_at_period_end: true });
    expect(flagged).toMatchObject({ status: 'active', cancel_at_period_end: true, upcoming_invoice_date: null });
    expect(flagged.cancel_at).toBe(flagged.current_period_end);
    expect(await cancelSubscription(app, { id, cancel_at_period_end: true })).toEqual(flagged);
    expect((await cancelSubscription(app, { id })).status).toBe('canceled');
    await expect(cancelSubscription(app, { id, cancel_at_period_end: true })).rejects.toMatchObject({
      code: 'already_canceled',
    });
  });

  it('at period end while it is ended concurrently succeeds or returns already_canceled', async () => {
    for (let round = 0; round < (process.env.PROVE ? 5 : 2); round++) {
      const { id } = await active();
      const later = cancelSubscription(app, { id, cancel_at_period_end: true }).then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
      await cancelSubscription(app, { id });
      expect(['done', 'already_canceled']).toContain(await later);
      expect((await getSubscription(app, { id })).status).toBe('canceled');
    }
  });

  it('a trial at period end ends it one interval after the trial', async () => {
    const { id, trial_end } = await create({ trial: '10' });
    const flagged = await cancelSubscription(app, { id, cancel_at_period_end: true });
    expect(flagged).toMatchObject({ status: 'trialing', cancel_at_period_end: true });
    const days = (Date.parse(flagged.cancel_at!) - Date.parse(trial_end!)) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(28);
    expect(days).toBeLessThanOrEqual(31);
    expect(flagged.upcoming_invoice_date).toBe(trial_end);
  });

  it('at period end is rejected when no period has started', async () => {
    const { id } = await create();
    await expect(cancelSubscription(app, { id, cancel_at_period_end: true })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('is allowed for the patient itself, staff and applications with the scope', async () => {
    const { services, tenant } = billing;
    const subscription = await create();
    const anotherPatient = asPatient(services, tenant, await billing.patient());
    await expect(cancelSubscription(anotherPatient, subscription)).rejects.toMatchObject({ code: 'not_found' });
    const reader = asApplication(services, tenant, ['subscriptions:read']);
    await expect(cancelSubscription(reader, { id: subscription.id })).rejects.toMatchObject({ code: 'forbidden' });
    await cancelSubscription(asPatient(services, tenant, subscription.patient_id), { id: subscription.id });
    const other = await create();
    await cancelSubscription(asPractitioner(services, tenant), { id: other.id });
  });

  it('succeeds after a lost response and stays retryable after an error of Stripe', async () => {
    const { id } = await active();
    billing.stripe.emulator.faults.add({ match: { method: 'DELETE' }, kind: 'reset_after', times: 1 });
    expect((await cancelSubscription(app, { id })).status).toBe('canceled');
    const other = await active();
    billing.stripe.emulator.faults.add({ match: { method: 'DELETE' }, kind: '500', times: 2 });
    await expect(cancelSubscription(app, { id: other.id })).rejects.toMatchObject({ code: 'provider_error' });
    expect((await getSubscription(app, other)).status).toBe('active');
    expect((await cancelSubscription(app, { id: other.id })).status).toBe('canceled');
  });
});

describe('a Stripe webhook that is applied before the request has written', () => {
  /** The same caller, whose read of Stripe starts only after the webhook of the requested change has been applied. */
  const overtaken = (ctx: Context, isApplied: () => Promise<boolean>): Context => ({
    ...ctx,
    db: new Proxy(ctx.db, {
      get(db, name) {
        const value = Reflect.get(db, name);
        if (name !== '$queryRaw') return typeof value === 'function' ? value.bind(db) : value;
        return async (...args: unknown[]) => {
          await expect.poll(isApplied, { timeout: 10_000 }).toBe(true);
          return Reflect.apply(value, db, args);
        };
      },
    }),
  });
  const rowOf = (id: string) => app.db.subscription.findFirstOrThrow({ where: { id } });
  const eventsOf = (id: string, eventTopic: string) => app.db.event.findMany({ where: { objectId: id, eventTopic } });

  it('attributes a cancellation to its requester, once', async () => {
    const { id } = await active();
    const staff = asPractitioner(billing.services, billing.tenant);
    await cancelSubscription(
      overtaken(staff, async () => (await rowOf(id)).status === 'canceled'),
      { id },
    );
    expect(await eventsOf(id, 'canceled')).toMatchObject([{ authorType: 'Practitioner' }]);
    const audit = await app.db.auditEntry.findMany({ where: { objectId: id, event: 'subscription.canceled' } });
    expect(audit).toMatchObject([
      { action: 'subscriptions.cancel', actorType: 'Practitioner', requestId: staff.requestId },
    ]);
    expect(await app.db.auditEntry.count({ where: { objectId: id, action: 'subscriptions.cancel' } })).toBe(1);
  });

  it('attributes a cancellation without a response to its requester', async () => {
    const { id } = await active();
    billing.stripe.hold(true);
    const from = billing.stripe.deliveries.length;
    billing.stripe.emulator.faults.add({ match: { method: 'DELETE' }, kind: 'reset_after', times: 9 });
    await expect(cancelSubscription(app, { id })).rejects.toMatchObject({ code: 'provider_unavailable' });
    billing.stripe.hold(false);
    billing.stripe.emulator.faults.clear();
    await expect.poll(() => billing.stripe.deliveries.slice(from).some(({ type }) => /deleted/.test(type))).toBe(true);
    for (const delivery of billing.stripe.deliveries.slice(from)) await billing.stripe.deliver(delivery);
    expect(await eventsOf(id, 'canceled')).toMatchObject([{ authorType: 'Application' }]);
  });

  it('is attributed to the service without a request, or when the request was for another change', async () => {
    const { id } = await active();
    billing.stripe.emulator.faults.add({ match: { method: 'DELETE' }, kind: '500', times: 2 });
    await expect(cancelSubscription(app, { id })).rejects.toMatchObject({ code: 'provider_error' });
    const on = { stripeAccount: billing.stripe.accountId };
    await billing.stripe.api.subscriptions.update(id, { cancel_at_period_end: true }, on);
    await expect.poll(async () => (await rowOf(id)).cancelAtPeriodEnd, { timeout: 10_000 }).toBe(true);
    const last = await app.db.event.findFirst({ where: { objectId: id }, orderBy: { position: 'desc' } });
    expect(last).toMatchObject({ eventTopic: 'updated', authorType: 'System' });
  });
});

describe('listing subscriptions', () => {
  it('requires a patient to name itself', async () => {
    const { services, tenant } = billing;
    const subscription = await create();
    const patient = asPatient(services, tenant, subscription.patient_id);
    const ownList = await listSubscriptions(patient, { patient_id: subscription.patient_id });
    expect(ownList.items.map(({ id }) => id)).toEqual([subscription.id]);
    expect(JSON.stringify(ownList)).not.toContain('_secret_');
    await expect(listSubscriptions(patient, {})).rejects.toMatchObject({ code: 'forbidden' });
    const other = await billing.patient();
    await expect(listSubscriptions(patient, { patient_id: other })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('pages newest first, forwards and backwards, and by page number with totals', async () => {
    const patient = await billing.patient();
    const created: string[] = [];
    for (let i = 0; i < 5; i++) created.unshift((await create({ patient })).id);
    const filter = { patient_id: patient, size: 2 };
    const ids = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);
    const first = await listSubscriptions(app, filter);
    expect(ids(first)).toEqual(created.slice(0, 2));
    const second = await listSubscriptions(app, { ...filter, starting_after: first.next! });
    expect(ids(second)).toEqual(created.slice(2, 4));
    const back = await listSubscriptions(app, { ...filter, ending_before: second.prev! });
    expect(ids(back)).toEqual(created.slice(0, 2));
    const last = await listSubscriptions(app, { ...filter, page: 3 });
    expect(ids(last)).toEqual(created.slice(4));
    expect(last.totals).toEqual({ count: 5, pages: 3, page: 3 });
    await expect(listSubscriptions(app, { ...filter, starting_after: 'sub_unknown' })).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
  });

  it('filters by status', async () => {
    const patient = await billing.patient();
    const stored = await create({ patient });
    const ended = await create({ patient, trial: '5' });
    await cancelSubscription(app, { id: ended.id });
    const canceled = await listSubscriptions(app, { patient_id: patient, status: ['canceled'] });
    expect(canceled.items.map(({ id }) => id)).toEqual([ended.id]);
    const incomplete = await listSubscriptions(app, { patient_id: patient, status: ['incomplete'] });
    expect(incomplete.items.map(({ id }) => id)).toEqual([stored.id]);
    const both = await listSubscriptions(app, {
      patient_id: patient,
      status: ['incomplete', 'canceled'],
      with_total: true,
    });
    expect(both.items.map(({ id }) => id)).toEqual([ended.id, stored.id]);
    expect(both.total).toEqual({ count: 2, capped: false });
    // Without a status filter, ended subscriptions are included.
    expect((await listSubscriptions(app, { patient_id: patient })).items).toHaveLength(2);
  });
});
