import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, asApplication, asPractitioner } from '#dev/testing/actors.ts';
import { archivePatient } from '#dev/testing/archive-patient.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { runQueued } from '#dev/testing/reconciling.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { attachSubscription, ignoreUnknownSubscription, listUnknownSubscriptions } from './attach-subscription.ts';

let billing: Clinic<'stripe'>;
let admin: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  admin = asAdmin(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

/** Creates subscriptions in Stripe's dashboard for a customer that is unknown here; webhooks report them. */
async function inDashboard(subscriptions = 1) {
  const on = { stripeAccount: billing.stripe.accountId };
  const customer = await billing.stripe.api.customers.create({ name: 'Unknown Customer' }, on);
  const ids: string[] = [];
  for (let n = 0; n < subscriptions; n++) {
    const price = await billing.stripe.price({ trial: '9' });
    const subscription = await billing.stripe.api.subscriptions.create(
      { customer: customer.id, items: [{ price }], trial_period_days: 9 },
      on,
    );
    ids.push(subscription.id);
  }
  await expect
    .poll(async () => (await listed()).filter((id) => ids.includes(id)).length, { timeout: 10_000 })
    .toBe(subscriptions);
  return { customerId: customer.id, ids: ids as [string, ...string[]] };
}
const listed = async () => (await listUnknownSubscriptions(admin, {})).items.map(({ id }) => id);
const errorOf = (work: Promise<unknown>) => work.then(() => null).catch((error: { code: string }) => error.code);

describe('a subscription at Stripe of an unknown customer', () => {
  it('is listed, and attached to a patient with all other subscriptions of its customer', async () => {
    const { ids, customerId } = await inDashboard(2);
    const patient_id = await billing.patient();
    const view = await attachSubscription(admin, { id: ids[0], patient_id });
    expect(view).toMatchObject({ id: ids[0], patient_id, status: 'trialing' });
    await runQueued(billing.services, billing.tenant.id);
    const stored = await admin.db.subscription.findMany({ where: { patientId: patient_id } });
    expect(stored.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(await admin.db.processorCustomer.findMany({ where: { patientId: patient_id } })).toMatchObject([
      { customerId },
    ]);
    expect(await listed()).toEqual([]);
    // The customer at Stripe gets the patient's name.
    const customer = await billing.stripe.api.customers.retrieve(
      customerId,
      {},
      { stripeAccount: billing.stripe.accountId },
    );
    expect(customer).toMatchObject({ name: 'Ada Example' });
    const entries = await admin.db.auditEntry.findMany({
      where: { action: 'subscriptions.attach_customer', patientId: patient_id },
    });
    expect(entries).toMatchObject([{ objectId: ids[0], details: { customer_id: customerId } }]);
    const events = await admin.db.event.findMany({ where: { objectId: ids[0] }, orderBy: { position: 'asc' } });
    expect(events[0]).toMatchObject({ eventTopic: 'created', authorType: 'Admin' });
    // A repeated request is idempotent; another patient does not get it.
    expect((await attachSubscription(admin, { id: ids[0], patient_id })).id).toBe(ids[0]);
    expect(await errorOf(attachSubscription(admin, { id: ids[0], patient_id: await billing.patient() }))).toBe(
      'conflict',
    );
  });

  it('is attached to one of two patients named concurrently', async () => {
    const { ids } = await inDashboard(2);
    const patients = [await billing.patient(), await billing.patient()];
    const outcomes = await Promise.all(
      patients.map((patient_id, n) => errorOf(attachSubscription(admin, { id: ids[n]!, patient_id }))),
    );
    expect(outcomes.sort()).toEqual([null, 'conflict'].sort());
    await runQueued(billing.services, billing.tenant.id);
    const owners = await admin.db.subscription.findMany({ where: { id: { in: ids } } });
    expect(new Set(owners.map(({ patientId }) => patientId)).size).toBe(1);
  });

  it('is rejected for a patient who is another customer, is archived or does not exist', async () => {
    const { ids } = await inDashboard();
    const customer = await billing.patient();
    await createSubscription(admin, { patient_id: customer, price_ids: [await billing.stripe.price()] });
    expect(await errorOf(attachSubscription(admin, { id: ids[0], patient_id: customer }))).toBe('conflict');
    const archived = await billing.patient();
    await archivePatient(admin, { id: archived });
    expect(await errorOf(attachSubscription(admin, { id: ids[0], patient_id: archived }))).toBe('patient_archived');
    expect(await errorOf(attachSubscription(admin, { id: ids[0], patient_id: newId() }))).toBe('not_found');
    expect(await errorOf(attachSubscription(admin, { id: 'sub_none', patient_id: await billing.patient() }))).toBe(
      'not_found',
    );
    expect(await listed()).toEqual(ids);
  });

  it('is hidden when an admin leaves it alone, and can still be attached', async () => {
    const [id] = (await listed()) as [string];
    await ignoreUnknownSubscription(admin, { id });
    await ignoreUnknownSubscription(admin, { id });
    expect(await listed()).toEqual([]);
    const entries = await admin.db.auditEntry.count({ where: { action: 'subscriptions.leave_alone', objectId: id } });
    expect(entries).toBe(2);
    const patient_id = await billing.patient();
    expect(await attachSubscription(admin, { id, patient_id })).toMatchObject({ id, patient_id });
  });

  it('requires an admin or an application with the admin scope', async () => {
    const { services, tenant } = billing;
    const input = { id: 'sub_none', patient_id: await billing.patient() };
    for (const ctx of [asPractitioner(services, tenant), asApplication(services, tenant, ['subscriptions:write'])]) {
      expect(await errorOf(attachSubscription(ctx, input))).toBe('forbidden');
      expect(await errorOf(listUnknownSubscriptions(ctx, {}))).toBe('forbidden');
      expect(await errorOf(ignoreUnknownSubscription(ctx, input))).toBe('forbidden');
    }
    expect(await errorOf(attachSubscription(asApplication(services, tenant, ['admin']), input))).toBe('not_found');
  });
});
