import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asApplication, asPatient, asPractitioner, makeTenant, withKey } from '#dev/testing/actors.ts';
import { archivePatient } from '#dev/testing/archive-patient.ts';
import { CARD, failOnReplay } from '#dev/testing/billing.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context } from '#server/core/context.ts';
import type { CarelaneError } from '#server/core/errors.ts';
import { listCards, removeCard, setDefaultCard } from '#server/customers/cards/change-cards.ts';
import { listCardSetups, startCardSetup } from '#server/customers/cards/save-card.ts';
import { createSubscription } from './create-subscription.ts';

let billing: Clinic<'stripe'>;
let app: Context;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  app = asApplication(billing.services, billing.tenant);
});
afterAll(() => billing?.stop());

const on = () => ({ stripeAccount: billing.stripe.accountId });
const MASTERCARD = '5555555555554444';
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: CarelaneError) => ({ code: error.code, meta: error.faults[0]?.meta }),
  );
/** As the patient's app does it: a setup intent created here and confirmed by Stripe.js. */
async function save(patient_id: string, card: string = CARD.good): Promise<string> {
  const { id, client_secret } = await startCardSetup(app, { patient_id });
  const confirmation = await billing.stripe.pay(
    { latest_invoice: null, pending_setup_intent: { id, status: '', client_secret } },
    card,
  );
  expect(confirmation.body.status).toBe('succeeded');
  return confirmation.body.payment_method;
}
const paysWith = async (id: string) =>
  (await billing.stripe.api.subscriptions.retrieve(id, {}, on())).default_payment_method;
async function running(patient_id: string) {
  const subscription = await createSubscription(app, { patient_id, price_ids: [await billing.stripe.price()] });
  await billing.stripe.pay(subscription);
  await expect
    .poll(async () => (await billing.stripe.api.subscriptions.retrieve(subscription.id, {}, on())).status)
    .toBe('active');
  return subscription.id;
}

describe('saving a card', () => {
  test('before a trial leaves nothing to save, and the trial is later paid with it', async () => {
    const patient_id = await billing.patient();
    const card = await save(patient_id);
    const [setup] = await listCardSetups(app, { patient_id });
    expect(setup).toMatchObject({ patient_id, status: 'succeeded', payment_method_id: card });
    const price_ids = [await billing.stripe.price({ trial: '7' })];
    const subscription = await createSubscription(app, { patient_id, price_ids });
    expect(subscription).toMatchObject({ status: 'trialing', next_action: 'none', pending_setup_intent: null });
    expect(await listCards(app, { patient_id })).toMatchObject([{ id: card, is_default: true }]);
    await billing.stripe
      .control('trigger', { name: 'end_trial', account: billing.stripe.accountId, subscription: subscription.id })
      .catch(() => billing.stripe.api.subscriptions.update(subscription.id, { trial_end: 'now' }, on()));
    await expect
      .poll(async () => (await billing.stripe.api.subscriptions.retrieve(subscription.id, {}, on())).status, {
        timeout: 10_000,
      })
      .toBe('active');
  });

  test('returns the client secret to the patient and the requesting application only, never in a list', async () => {
    const patient_id = await billing.patient();
    for (const ctx of [app, asPatient(billing.services, billing.tenant, patient_id)])
      expect((await startCardSetup(ctx, { patient_id })).client_secret).toMatch(/^seti_.+_secret_/);
    const staff = asPractitioner(billing.services, billing.tenant);
    expect(await startCardSetup(staff, { patient_id })).not.toHaveProperty('client_secret');
    const listed = await listCardSetups(app, { patient_id });
    expect(listed).toHaveLength(3);
    expect(JSON.stringify(listed)).not.toContain('_secret_');
    expect(
      JSON.stringify(await app.db.auditEntry.findMany({ where: { patientId: patient_id }, select: { details: true } })),
    ).not.toContain('_secret_');
  });

  test('creates one setup per key, also concurrently', async () => {
    const patient_id = await billing.patient();
    const ctx = withKey(app, 'one-card');
    const setups = await Promise.all(Array.from({ length: 5 }, () => startCardSetup(ctx, { patient_id })));
    expect(new Set(setups.map(({ client_secret }) => client_secret)).size).toBe(1);
    expect(await listCardSetups(app, { patient_id })).toHaveLength(1);
  });

  test('retries under the same key when Stripe replays its own failure', async () => {
    const patient_id = await billing.patient();
    const ctx = withKey(app, 'failed-card');
    const { id } = await startCardSetup(ctx, { patient_id });
    failOnReplay(billing, 'carelane-setup-');
    expect((await startCardSetup(ctx, { patient_id })).id).not.toBe(id);
  });

  test('creates a new customer when the previous one was deleted at Stripe', async () => {
    const patient_id = await billing.patient();
    await startCardSetup(app, { patient_id });
    const { customerId } = await app.db.processorCustomer.findFirstOrThrow({ where: { patientId: patient_id } });
    billing.stripe.hold(true);
    await billing.stripe.api.customers.del(customerId, {}, on());
    expect(await startCardSetup(app, { patient_id })).toMatchObject({ status: 'requires_payment_method' });
    billing.stripe.hold(false);
  });
});

describe('cards on file', () => {
  test('are empty when the customer was deleted at Stripe, which is noted without a webhook', async () => {
    const patient_id = await billing.patient();
    const id = await save(patient_id);
    const where = { patientId: patient_id };
    const { customerId } = await app.db.processorCustomer.findFirstOrThrow({ where });
    billing.stripe.hold(true);
    await billing.stripe.api.customers.del(customerId, {}, on());
    const undo = { where, data: { deletedAt: null } };
    for (const [call, expected] of [
      [() => listCards(app, { patient_id }), []],
      [() => errorOf(removeCard(app, { patient_id, id })), { code: 'not_found' }],
      [() => errorOf(setDefaultCard(app, { patient_id, id, is_default: true })), { code: 'not_found' }],
    ] as const) {
      await app.db.processorCustomer.updateMany(undo);
      expect(await call()).toEqual(expected);
      expect(await app.db.processorCustomer.findFirst({ where })).toMatchObject({ deletedAt: expect.any(Date) });
    }
    expect(await listCardSetups(app, { patient_id })).toEqual([]);
    const entries = { ...where, action: 'subscriptions.delete_customer' };
    expect(await app.db.auditEntry.findFirst({ where: entries })).toMatchObject({ actorType: 'System' });
    billing.stripe.hold(false);
  });

  test('show brand, last four digits and expiry only', async () => {
    const patient_id = await billing.patient();
    expect(await listCards(app, { patient_id })).toEqual([]);
    const card = await save(patient_id, MASTERCARD);
    const listed = await listCards(asPatient(billing.services, billing.tenant, patient_id), { patient_id });
    expect(listed).toEqual([
      {
        id: card,
        patient_id,
        type: 'card',
        brand: 'mastercard',
        last4: '4444',
        exp_month: 12,
        exp_year: 2040,
        is_default: false,
        created_at: expect.any(String),
      },
    ]);
  });

  test('include Link, which can be the default and be removed', async () => {
    const patient_id = await billing.patient();
    const id = await running(patient_id);
    const link = await save(patient_id);
    billing.stripe.asLink(link);
    const nothing = { brand: null, last4: null, exp_month: null, exp_year: null };
    expect(await setDefaultCard(app, { patient_id, id: link, is_default: true })).toMatchObject({
      id: link,
      type: 'link',
    });
    expect(await paysWith(id)).toBe(link);
    expect(await listCards(app, { patient_id })).toMatchObject([
      { id: link, type: 'link', ...nothing, is_default: true },
      { type: 'card', last4: '4242', is_default: false },
    ]);
    expect(await removeCard(app, { patient_id, id: link })).toMatchObject({ type: 'link', ...nothing });
  });

  test('have a default, which pays all running subscriptions', async () => {
    const patient_id = await billing.patient();
    const [one, two] = [await running(patient_id), await running(patient_id)];
    const card = await save(patient_id, MASTERCARD);
    expect(await setDefaultCard(app, { patient_id, id: card, is_default: true })).toMatchObject({ is_default: true });
    expect([await paysWith(one), await paysWith(two)]).toEqual([card, card]);
    const listed = await listCards(app, { patient_id });
    expect(listed.filter(({ is_default }) => is_default).map(({ id }) => id)).toEqual([card]);
  });

  test('include one that cannot be removed while a payment is due, unless another replaces it', async () => {
    const patient_id = await billing.patient();
    const id = await running(patient_id);
    const [first] = await listCards(app, { patient_id });
    expect(first).toMatchObject({ is_default: true });
    const remove = (card: string) => removeCard(app, { patient_id, id: card });
    expect(await errorOf(remove(first!.id))).toEqual({ code: 'conflict', meta: { subscription_id: id } });
    const second = await save(patient_id, MASTERCARD);
    await remove(first!.id);
    expect(await paysWith(id)).toBe(second);
    expect(await listCards(app, { patient_id })).toMatchObject([{ id: second, is_default: true }]);
    expect(await errorOf(remove(first!.id))).toMatchObject({ code: 'not_found' });

    await billing.stripe.api.subscriptions.update(id, { cancel_at_period_end: true }, on());
    await remove(second);
    expect(await listCards(app, { patient_id })).toEqual([]);
  });

  test('keep one of two that are removed concurrently, and it becomes the default', async () => {
    const patient_id = await billing.patient();
    const id = await running(patient_id);
    await save(patient_id, MASTERCARD);
    const cards = await listCards(app, { patient_id });
    const errors = await Promise.all(cards.map((card) => errorOf(removeCard(app, { patient_id, id: card.id }))));
    expect(errors.toSorted()).toEqual([null, { code: 'conflict', meta: { subscription_id: id } }].toSorted());
    const [remaining, ...others] = await listCards(app, { patient_id });
    expect([remaining?.is_default, others]).toEqual([true, []]);
    expect(await paysWith(id)).toBe(remaining?.id);
  });

  test('are not removed while they become the default, and vice versa', async () => {
    const patient_id = await billing.patient();
    const id = await running(patient_id);
    const second = await save(patient_id, MASTERCARD);
    const errors = await Promise.all([
      errorOf(removeCard(app, { patient_id, id: second })),
      errorOf(setDefaultCard(app, { patient_id, id: second, is_default: true })),
    ]);
    expect(errors.filter((error) => error === null).length).toBeGreaterThan(0);
    const remaining = await listCards(app, { patient_id });
    expect(remaining.map((card) => card.id)).toContain(await paysWith(id));
  });

  test('can be changed again once the lock of a crashed request has expired', async () => {
    const patient_id = await billing.patient();
    await running(patient_id);
    const card = await save(patient_id, MASTERCARD);
    const lease = { cardsHolder: crypto.randomUUID(), cardsHeldUntil: new Date(Date.now() + 600) };
    await app.db.processorCustomer.updateMany({ where: { patientId: patient_id }, data: lease });
    expect(await removeCard(app, { patient_id, id: card })).toMatchObject({ id: card });
  });

  test('are hidden from other patients, other tenants and applications without the scope', async () => {
    const [patient_id, other] = [await billing.patient(), await billing.patient()];
    const card = await save(patient_id);
    await save(other);
    const anotherPatient = asPatient(billing.services, billing.tenant, other);
    const reader = asApplication(billing.services, billing.tenant, ['subscriptions:read']);
    const otherTenant = asApplication(billing.services, await makeTenant(billing.services));
    const selection = { patient_id, id: card, is_default: true } as const;
    const codes = await Promise.all(
      [
        listCards(anotherPatient, { patient_id }),
        listCards(anotherPatient, {}),
        listCardSetups(anotherPatient, { patient_id }),
        listCards(app, {}),
        startCardSetup(anotherPatient, { patient_id }),
        removeCard(anotherPatient, { patient_id, id: card }),
        removeCard(anotherPatient, { patient_id: other, id: card }),
        setDefaultCard(app, { ...selection, patient_id: other }),
        setDefaultCard(reader, selection),
        startCardSetup(reader, { patient_id }),
        listCards(otherTenant, { patient_id }),
      ].map(async (call) => (await errorOf(call))?.code),
    );
    expect(codes).toEqual([
      'forbidden',
      'forbidden',
      'forbidden',
      'missing_parameter',
      'not_found',
      'not_found',
      'not_found',
      'not_found',
      'forbidden',
      'forbidden',
      'not_found',
    ]);
    expect(await listCards(app, { patient_id })).toHaveLength(1);
  });

  test('of an archived patient may be removed, but none may be saved', async () => {
    const patient_id = await billing.patient();
    const card = await save(patient_id);
    await archivePatient(app, { id: patient_id });
    expect(await errorOf(startCardSetup(app, { patient_id }))).toMatchObject({ code: 'patient_archived' });
    expect(await removeCard(app, { patient_id, id: card })).toMatchObject({ id: card });
  });
});
