import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { CARD } from '#dev/testing/billing.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { createInboxEmulator } from '#emulators/inbox/index.ts';
import type { Clock } from '#server/core/clock.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { cancelSubscription } from '../cancel/cancel-subscription.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { syncSubscription } from '../sync/sync-subscription.ts';
import { sendCheckoutMail } from './checkout-mail.ts';
import { createCheckoutLink } from './create-checkout-link.ts';
import { listCheckoutLinks } from './list-checkout-links.ts';
import { openCheckout as openWith } from './open-checkout.ts';

let billing: Clinic<'stripe'>;
let inbox: Awaited<ReturnType<ReturnType<typeof createInboxEmulator>['start']>>;
let staff: Context;
let visitor: Context;
beforeAll(async () => {
  inbox = await createInboxEmulator({}).start();
  billing = await withClinic({
    stripe: true,
    env: { SMTP_URL: inbox.smtpUrl, MAIL_FROM: 'Example Clinic <clinic@example.test>' },
  });
  staff = asPractitioner(billing.services, billing.tenant);
  visitor = contextFor(billing.services, { kind: 'visitor', tenantId: billing.tenant.id });
});
afterAll(async () => {
  await billing?.stop();
  await inbox?.stop();
});

const openCheckout = (ctx: Context, input: { token: string }) => openWith(ctx, input, createSubscription);

async function create(options: { trial?: string } = {}) {
  const patient_id = await billing.patient();
  return createSubscription(staff, { patient_id, price_ids: [await billing.stripe.price(options)] });
}
const tokenOf = ({ url }: { url: string }) => url.split('#')[1]!;
const link = async (subscription_id: string) => tokenOf(await createCheckoutLink(staff, { subscription_id }));
/** The view in the form that Stripe.js needs. */
const payable = (client_secret: string | null) => ({
  latest_invoice: null,
  pending_setup_intent: { id: '', status: '', client_secret: client_secret! },
});

describe('a checkout link', () => {
  it('shows the amount due, uses no query string, and stores no readable token', async () => {
    const subscription = await create();
    const link = await createCheckoutLink(staff, { subscription_id: subscription.id });
    expect(link).toMatchObject({ sent_to: null });
    expect(link.url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/checkout#[\w-]{22}\.[\w-]{43}$/);
    const view = await openCheckout(visitor, { token: tokenOf(link) });
    expect(view).toMatchObject({
      clinic: 'Example Clinic',
      name: 'Care plan',
      amount_due: 4900,
      currency: 'usd',
      next_action: 'payment',
      status: 'incomplete',
      payment_client: { account_id: billing.stripe.accountId },
    });
    expect(view).toMatchObject({ cancel_at: null });
    expect(view.client_secret).toMatch(/^pi_.+_secret_/);
    const [random] = tokenOf(link).split('.').reverse();
    const rows = await staff.db.checkoutLink.findMany();
    expect(JSON.stringify(rows)).not.toContain(random);
    for (const row of rows) expect(Buffer.from(row.token!).toString('latin1')).not.toContain(random);
  });

  it('accepts a payment, also after a declined card, and then shows only the outcome', async () => {
    const subscription = await create();
    const token = await link(subscription.id);
    const { client_secret } = await openCheckout(visitor, { token });
    expect((await billing.stripe.pay(payable(client_secret), CARD.declined)).status).toBe(402);
    expect(await openCheckout(visitor, { token })).toMatchObject({ next_action: 'payment', client_secret });
    await billing.stripe.pay(payable(client_secret));
    const done = { status: 'active', next_action: 'none', client_secret: null, amount_due: 0 };
    expect(await openCheckout(visitor, { token })).toMatchObject(done);
    expect(await openCheckout(visitor, { token })).toMatchObject(done);
    await expect(createCheckoutLink(staff, { subscription_id: subscription.id })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('saves a card for a trial', async () => {
    const subscription = await create({ trial: '7' });
    const token = await link(subscription.id);
    const view = await openCheckout(visitor, { token });
    expect(view).toMatchObject({
      next_action: 'setup',
      amount_due: 0,
      status: 'trialing',
      trial_end: subscription.trial_end,
    });
    expect(view.client_secret).toMatch(/^seti_.+_secret_/);
    await billing.stripe.pay(payable(view.client_secret));
    expect(await openCheckout(visitor, { token })).toMatchObject({ next_action: 'none', status: 'trialing' });
  });

  it('resumes a subscription that was paused for lack of a card once a card is saved', async () => {
    const subscription = await create({ trial: '7' });
    const on = { stripeAccount: billing.stripe.accountId };
    const end_behavior = { missing_payment_method: 'pause' as const };
    await billing.stripe.api.subscriptions.update(subscription.id, { trial_settings: { end_behavior } }, on);
    await billing.stripe.api.subscriptions.update(subscription.id, { trial_end: 'now' }, on);
    const token = await link(subscription.id);
    const view = await openCheckout(visitor, { token });
    expect(view).toMatchObject({ status: 'paused', next_action: 'setup', amount_due: 4900 });
    await billing.stripe.pay(payable(view.client_secret));
    expect(await openCheckout(visitor, { token })).toMatchObject({ status: 'active', next_action: 'none' });
  });

  it('is returned again while it is live, also concurrently, and mailed with its expiry unchanged', async () => {
    const subscription = await create();
    const createLink = (input: object = {}, ctx = staff) =>
      createCheckoutLink(ctx, { subscription_id: subscription.id, ...input });
    const mailed = await createLink({ send: true });
    const copied = await Promise.all([createLink(), createLink(), createLink(), createLink()]);
    for (const one of copied) expect(one).toEqual({ ...mailed, sent_to: null });
    const later = { ...staff, clock: { now: () => new Date(Date.now() + 23 * 3_600_000) } };
    expect(await createLink({ send: true }, later)).toEqual(mailed);
    const afterExpiry = { ...staff, clock: { now: () => new Date(Date.now() + 24.1 * 3_600_000) } };
    expect((await createLink({}, afterExpiry)).url).not.toBe(mailed.url);
  });

  it('is created once for concurrent first requests', async () => {
    const subscription = await create();
    const all = await Promise.all(
      Array.from({ length: 6 }, () => createCheckoutLink(staff, { subscription_id: subscription.id })),
    );
    expect(new Set(all.map(({ url }) => url)).size).toBe(1);
    expect((await openCheckout(visitor, { token: tokenOf(all[0]!) })).next_action).toBe('payment');
  });

  it('is replaced on request, and expires after a day', async () => {
    const subscription = await create();
    const first = await link(subscription.id);
    const second = tokenOf(await createCheckoutLink(staff, { subscription_id: subscription.id, renew: true }));
    await expect(openCheckout(visitor, { token: first })).rejects.toMatchObject({ code: 'not_found' });
    const after = (hours: number): Clock => ({ now: () => new Date(Date.now() + hours * 3_600_000) });
    const open = (hours: number) => openCheckout({ ...visitor, clock: after(hours) }, { token: second });
    expect((await open(23.9)).next_action).toBe('payment');
    await expect(open(24.1)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ends when the amount due changes, and is not returned again', async () => {
    const subscription = await create();
    const token = await link(subscription.id);
    const where = { tenantId_id: { tenantId: billing.tenant.id, id: subscription.id } };
    // As if another amount had been due when the link was created.
    const { latestInvoice } = await staff.db.subscription.findUniqueOrThrow({ where });
    const changed = { ...(latestInvoice as object), amount_due: 1 };
    await staff.db.subscription.update({ where, data: { latestInvoice: changed } });
    await syncSubscription(staff, subscription.id);
    await expect(openCheckout(visitor, { token })).rejects.toMatchObject({ code: 'not_found' });
    expect(await link(subscription.id)).not.toBe(token);
    const [row] = await staff.db.checkoutLink.findMany({
      where: { subscriptionId: subscription.id, endedAt: { not: null } },
    });
    expect(row).toMatchObject({ token: null });
  });

  it('stores no token once it is used or the subscription has ended', async () => {
    const [paid, canceled] = [await create(), await create()];
    const tokens = [await link(paid.id), await link(canceled.id)];
    const { client_secret } = await openCheckout(visitor, { token: tokens[0]! });
    await billing.stripe.pay(payable(client_secret));
    await syncSubscription(staff, paid.id);
    await cancelSubscription(staff, { id: canceled.id });
    const rows = await staff.db.checkoutLink.findMany({
      where: { subscriptionId: { in: [paid.id, canceled.id] } },
    });
    expect(rows.map(({ token }) => token)).toEqual([null, null]);
    // The outcome is still shown.
    expect(await openCheckout(visitor, { token: tokens[0]! })).toMatchObject({ status: 'active', client_secret: null });
    expect(await openCheckout(visitor, { token: tokens[1]! })).toMatchObject({ client_secret: null });
    const shown = async (patient_id: string) =>
      (await listCheckoutLinks(staff, { patient_id })).map((one) => one.state);
    expect(await shown(paid.patient_id)).toEqual(['used']);
    expect(await shown(canceled.patient_id)).toEqual(['over']);
  });

  it('is listed for its patient without the token', async () => {
    const { services, tenant } = billing;
    const subscription = await create();
    const { id } = await staff.db.staffUser.create({
      data: { id: newId(), tenantId: tenant.id, email: 'rowan@example.test', name: 'Rowan Example', role: 'admin' },
    });
    const practitioner = asPractitioner(services, tenant, id);
    const first = await createCheckoutLink(practitioner, { subscription_id: subscription.id });
    const second = await createCheckoutLink(practitioner, {
      subscription_id: subscription.id,
      send: true,
      renew: true,
    });
    const about = { subscription_id: subscription.id, name: 'Care plan', created_by: 'Rowan Example' };
    const links = await listCheckoutLinks(staff, { patient_id: subscription.patient_id });
    expect(links).toMatchObject([
      { ...about, state: 'live', sent_to: second.sent_to, expires_at: second.expires_at, sent_at: expect.any(String) },
      { ...about, state: 'replaced', sent_to: null, sent_at: null },
    ]);
    for (const link of [first, second]) expect(JSON.stringify(links)).not.toContain(tokenOf(link).split('.')[1]);
    for (const ctx of [asApplication(services, tenant), asPatient(services, tenant, subscription.patient_id), visitor])
      await expect(listCheckoutLinks(ctx, { patient_id: subscription.patient_id })).rejects.toMatchObject({
        code: 'forbidden',
      });
    const other = asPractitioner(services, await makeTenant(services));
    await expect(listCheckoutLinks(other, { patient_id: subscription.patient_id })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('returns not_found for a guessed or changed token, and in another tenant', async () => {
    const token = await link((await create()).id);
    const other = await makeTenant(billing.services);
    const otherVisitor = contextFor(billing.services, { kind: 'visitor', tenantId: other.id });
    for (const [ctx, wrong] of [
      [otherVisitor, token],
      [visitor, `${token}A`],
      [visitor, token.slice(0, -1)],
      [visitor, token.split('.')[1]!],
      [visitor, ''],
    ] as const)
      await expect(openCheckout(ctx, { token: wrong })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is created by staff, applications and the patient, and opened by a visitor only', async () => {
    const { services, tenant } = billing;
    const subscription = await create();
    const input = { subscription_id: subscription.id };
    const { url } = await createCheckoutLink(staff, input);
    for (const ctx of [asApplication(services, tenant), asPatient(services, tenant, subscription.patient_id)])
      expect((await createCheckoutLink(ctx, input)).url).toBe(url);
    await expect(createCheckoutLink(visitor, input)).rejects.toMatchObject({ code: 'forbidden' });
    const anotherPatient = asPatient(services, tenant, await billing.patient());
    await expect(createCheckoutLink(anotherPatient, input)).rejects.toMatchObject({ code: 'not_found' });
    const token = await link(subscription.id);
    await expect(openCheckout(asAdmin(services, tenant), { token })).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('mailing a checkout link', () => {
  it('reaches the patient, and the queue holds no readable token', async () => {
    const subscription = await create();
    const link = await createCheckoutLink(staff, { subscription_id: subscription.id, send: true });
    expect(link.sent_to).toMatch(/^ada-.+@example\.test$/);
    const [queued] = await staff.db.$queryRaw<{ payload: { tenantId: string; sealed: string } }[]>`
      select payload from graphile_worker._private_jobs where payload::text like '%sealed%' order by id desc limit 1`;
    expect(JSON.stringify(queued)).not.toContain(tokenOf(link).split('.')[1]);
    await sendCheckoutMail(billing.services, queued!.payload);
    const mails = JSON.stringify(await (await fetch(`${inbox.url}/messages`)).json());
    expect(mails).toContain(link.sent_to);
    expect(mails).toContain(tokenOf(link));
    expect(mails).toMatch(/works until \w+ \d+, \d{4} at .+ UTC/);
  });
});
