import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { reconcileFor, runQueued } from '#dev/testing/reconciling.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { updateCustomer } from '#server/customers/customer.ts';
import { changeEmail } from '#server/patients/change-email.ts';
import { changePhone } from '#server/patients/change-phone.ts';
import { planNewPatient } from '#server/patients/plan-patient.ts';
import { replacePatient } from '#server/patients/replace-patient.ts';
import { updatePatient } from '#server/patients/update-patient.ts';
import { cancelSubscription } from '#server/subscriptions/cancel/cancel-subscription.ts';
import { createSubscription } from '#server/subscriptions/create/create-subscription.ts';
import { reconcileStripe } from './reconcile-stripe.ts';

let billing: Clinic<'stripe'>;
let app: Context;
let admin: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
  admin = asAdmin(billing.services, billing.tenant);
});
afterEach(() => billing.stripe.emulator.faults.clear());
afterAll(() => billing?.stop());

async function subscribed() {
  const patient_id = await billing.patient();
  await createSubscription(app, { patient_id, price_ids: [await billing.stripe.price({ trial: '9' })] });
  return patient_id;
}
async function atStripe(patientId: string) {
  const { customerId } = await app.db.processorCustomer.findFirstOrThrow({ where: { patientId } });
  return (await billing.stripe.api.customers.retrieve(
    customerId,
    {},
    { stripeAccount: billing.stripe.accountId },
  )) as unknown as {
    name: string;
    email: string;
    phone: string | null;
  };
}
const run = () => runQueued(billing.services, billing.tenant.id);

describe('the customer of a patient', () => {
  it('has the patient’s contact data from the first subscription on', async () => {
    const id = await subscribed();
    expect(await run()).toBe(1);
    const { email } = await app.db.patient.findFirstOrThrow({ where: { id } });
    expect(await atStripe(id)).toMatchObject({ name: 'Ada Example', email, phone: null });
  });

  it('is updated after edits of name, email and number, with one call for several edits', async () => {
    const id = await subscribed();
    await run();
    const email = `grace-${crypto.randomUUID()}@example.test`;
    await updatePatient(admin, { id, first_name: 'Grace' });
    await updatePatient(admin, { id, email, phones_attributes: [{ number: '+12025550123', primary: true }] });
    expect(await run()).toBe(1);
    expect(await atStripe(id)).toMatchObject({ name: 'Grace Example', email, phone: '+12025550123' });
    await updatePatient(admin, { id, last_name: 'Hopper' });
    await run();
    expect((await atStripe(id)).name).toBe('Grace Hopper');
  });

  it('is updated by a verified email, a verified phone and a sign-up that replaces the record', async () => {
    const id = await subscribed();
    await run();
    const change = <T>(work: (tx: Tx) => Promise<T>) => app.db.$transaction(work).then(run);
    const email = `grace-${crypto.randomUUID()}@example.test`;
    expect(
      await change((tx) => changeEmail(tx, admin, id, { email, verified: true, action: 'patients.change_email' })),
    ).toBe(1);
    expect(await atStripe(id)).toMatchObject({ name: 'Ada Example', email, phone: null });
    const number = '+12025550124';
    expect(
      await change((tx) => changePhone(tx, admin, id, { number, verified: true, action: 'patients.change_phone' })),
    ).toBe(1);
    expect(await atStripe(id)).toMatchObject({ email, phone: number });
    const plan = planNewPatient({ first_name: 'Grace', phone_number: '+12025550125' }, '2026-01-01');
    expect(await change((tx) => replacePatient(tx, admin, { id, plan, action: 'patients.sign_up' }))).toBe(1);
    expect(await atStripe(id)).toMatchObject({ name: 'Grace', email, phone: '+12025550125' });
  });

  it('is not called for a patient without one', async () => {
    const id = await billing.patient();
    await updatePatient(admin, { id, first_name: 'Grace' });
    expect(await run()).toBe(0);
  });

  it('ends with the last edit, under concurrent runs and errors of Stripe', async () => {
    const id = await subscribed();
    const job = { tenantId: billing.tenant.id, patientId: id };
    billing.stripe.emulator.faults.add({ match: { path: '/v1/customers/:id' }, kind: '503', times: 4 });
    await expect(updateCustomer(billing.services, job)).rejects.toMatchObject({ code: 'provider_unavailable' });
    billing.stripe.emulator.faults.clear();
    const runs: Promise<void>[] = [];
    for (const first_name of ['Bo', 'Cy', 'Di', 'Ed', 'Flo']) {
      runs.push(updateCustomer(billing.services, job));
      await updatePatient(admin, { id, first_name });
    }
    runs.push(updateCustomer(billing.services, job));
    await Promise.all(runs);
    expect((await atStripe(id)).name).toBe('Flo Example');
  });

  it('is corrected by a comparison when its name differs at Stripe', async () => {
    const id = await subscribed();
    await run();
    const { customerId } = await app.db.processorCustomer.findFirstOrThrow({ where: { patientId: id } });
    await billing.stripe.api.customers.update(
      customerId,
      { name: 'Another Name' },
      { stripeAccount: billing.stripe.accountId },
    );
    await reconcileFor(billing.services, billing.tenant.id, { from: new Date() });
    expect((await atStripe(id)).name).toBe('Ada Example');
  });

  it('is updated by a comparison after others, in turn', async () => {
    const tenantId = billing.tenant.id;
    const ids = [await subscribed(), await subscribed(), await subscribed()];
    await run();
    for (const patientId of ids) {
      const { customerId } = await app.db.processorCustomer.findFirstOrThrow({ where: { patientId } });
      await billing.stripe.api.customers.update(
        customerId,
        { name: 'Other' },
        { stripeAccount: billing.stripe.accountId },
      );
    }
    await app.db.stripeReconcile.updateMany({ data: { passStartedAt: null } });
    await reconcileStripe(billing.services, { tenantId });
    const jobs = await app.db.$queryRaw<{ ms: number }[]>`
      select extract(epoch from run_at - min(run_at) over ()) * 1000 as ms from graphile_worker._private_jobs
      where payload->>'tenantId' = ${tenantId} and key like 'update_customer:%' order by run_at`;
    expect(jobs.map(({ ms }) => Number(ms))).toEqual([0, 10, 20]);
    let turns = 0;
    const stripePace = async () => {
      turns += 1;
    };
    const { providers } = billing.services;
    await runQueued({ ...billing.services, providers: { ...providers, stripePace } }, tenantId);
    expect(turns).toBe(ids.length);
    for (const id of ids) expect((await atStripe(id)).name).toBe('Ada Example');
  });

  it('is updated after edits although all subscriptions have ended', async () => {
    const id = await subscribed();
    await run();
    for (const { id: one } of await app.db.subscription.findMany({ where: { patientId: id } }))
      await cancelSubscription(app, { id: one });
    await updatePatient(admin, { id, first_name: 'Grace' });
    await run();
    expect((await atStripe(id)).name).toBe('Grace Example');
    // Also when no job has updated it.
    await app.db.patient.update({ where: { id }, data: { firstName: 'Joan' } });
    await reconcileFor(billing.services, billing.tenant.id, { from: new Date(Date.now() + 600_000) });
    expect((await atStripe(id)).name).toBe('Joan Example');
  });
});
