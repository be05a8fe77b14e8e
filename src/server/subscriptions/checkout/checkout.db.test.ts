import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInboxEmulator } from '#emulators/inbox/index.ts';
import type { Clock } from '#server/core/clock.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { asAdmin, asApplication, asPatient, asPractitioner, makeTenant } from '#testing/actors.ts';
import { type Billing, CARD, startBilling } from '#testing/billing.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { sendCheckoutMail } from './checkout-mail.ts';
import { createCheckoutLink } from './create-checkout-link.ts';
import { openCheckout } from './open-checkout.ts';

let billing: Billing;
let inbox: Awaited<ReturnType<ReturnType<typeof createInboxEmulator>['start']>>;
let staff: Context;
let visitor: Context;
beforeAll(async () => {
  inbox = await createInboxEmulator({}).start();
  billing = await startBilling({ SMTP_URL: inbox.smtpUrl, MAIL_FROM: 'Example Clinic <clinic@example.test>' });
  staff = asPractitioner(billing.services, billing.tenant);
  visitor = contextFor(billing.services, { kind: 'visitor', tenantId: billing.tenant.id });
});
afterAll(async () => {
  await billing?.stop();
  await inbox?.stop();
});

async function create(options: { trial?: string } = {}) {
  const patient_id = await billing.patient();
  return createSubscription(staff, { patient_id, price_ids: [await billing.price(options)] });
}
const tokenOf = ({ url }: { url: string }) => url.split('#')[1]!;
const link = async (subscription_id: string) => tokenOf(await createCheckoutLink(staff, { subscription_id }));
/** The view as Stripe.js needs it. */
const payable = (client_secret: string | null) => ({
  latest_invoice: null,
  pending_setup_intent: { id: '', status: '', client_secret: client_secret! },
});

describe('a checkout link', () => {
  it('opens what is to be paid, without a query, and keeps only the token’s hash', async () => {
    const made = await create();
    const given = await createCheckoutLink(staff, { subscription_id: made.id });
    expect(given).toMatchObject({ sent_to: null });
    expect(given.url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/checkout#[\w-]{22}\.[\w-]{43}$/);
    const view = await openCheckout(visitor, { token: tokenOf(given) });
    expect(view).toMatchObject({
      clinic: 'Example Clinic',
      name: 'Care plan',
      amount_due: 4900,
      currency: 'usd',
      next_action: 'payment',
      status: 'incomplete',
      payment_client: { account_id: billing.accountId },
    });
    expect(view.client_secret).toMatch(/^pi_.+_secret_/);
    const [random] = tokenOf(given).split('.').reverse();
    expect(JSON.stringify(await staff.db.checkoutLink.findMany())).not.toContain(random);
  });

  it('takes a payment, declined cards included, and then tells only how it went', async () => {
    const made = await create();
    const token = await link(made.id);
    const { client_secret } = await openCheckout(visitor, { token });
    expect((await billing.pay(payable(client_secret), CARD.declined)).status).toBe(402);
    expect(await openCheckout(visitor, { token })).toMatchObject({ next_action: 'payment', client_secret });
    await billing.pay(payable(client_secret));
    const done = { status: 'active', next_action: 'none', client_secret: null, amount_due: 0 };
    expect(await openCheckout(visitor, { token })).toMatchObject(done);
    expect(await openCheckout(visitor, { token })).toMatchObject(done);
    await expect(createCheckoutLink(staff, { subscription_id: made.id })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('saves a card for a trial', async () => {
    const made = await create({ trial: '7' });
    const token = await link(made.id);
    const view = await openCheckout(visitor, { token });
    expect(view).toMatchObject({ next_action: 'setup', amount_due: 0, status: 'trialing', trial_end: made.trial_end });
    expect(view.client_secret).toMatch(/^seti_.+_secret_/);
    await billing.pay(payable(view.client_secret));
    expect(await openCheckout(visitor, { token })).toMatchObject({ next_action: 'none', status: 'trialing' });
  });

  it('is replaced by the next one, and runs out after a day', async () => {
    const made = await create();
    const first = await link(made.id);
    const second = await link(made.id);
    await expect(openCheckout(visitor, { token: first })).rejects.toMatchObject({ code: 'not_found' });
    const after = (hours: number): Clock => ({ now: () => new Date(Date.now() + hours * 3_600_000) });
    const open = (hours: number) => openCheckout({ ...visitor, clock: after(hours) }, { token: second });
    expect((await open(23.9)).next_action).toBe('payment');
    await expect(open(24.1)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('opens nothing when guessed, changed or brought to another tenant', async () => {
    const token = await link((await create()).id);
    const other = await makeTenant(billing.services);
    const elsewhere = contextFor(billing.services, { kind: 'visitor', tenantId: other.id });
    for (const [ctx, wrong] of [
      [elsewhere, token],
      [visitor, `${token}A`],
      [visitor, token.slice(0, -1)],
      [visitor, token.split('.')[1]!],
      [visitor, ''],
    ] as const)
      await expect(openCheckout(ctx, { token: wrong })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is made by staff only and opened by a visitor only', async () => {
    const { services, tenant } = billing;
    const made = await create();
    const input = { subscription_id: made.id };
    for (const ctx of [asApplication(services, tenant), asPatient(services, tenant, made.patient_id), visitor])
      await expect(createCheckoutLink(ctx, input)).rejects.toMatchObject({ code: 'forbidden' });
    const token = await link(made.id);
    await expect(openCheckout(asAdmin(services, tenant), { token })).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('mailing it', () => {
  it('reaches the patient, and the queue never shows the token', async () => {
    const made = await create();
    const given = await createCheckoutLink(staff, { subscription_id: made.id, send: true });
    expect(given.sent_to).toMatch(/^ada-.+@example\.test$/);
    const [queued] = await staff.db.$queryRaw<{ payload: { tenantId: string; sealed: string } }[]>`
      select payload from graphile_worker._private_jobs where payload::text like '%sealed%' order by id desc limit 1`;
    expect(JSON.stringify(queued)).not.toContain(tokenOf(given).split('.')[1]);
    await sendCheckoutMail(billing.services, queued!.payload);
    const mails = JSON.stringify(await (await fetch(`${inbox.url}/messages`)).json());
    expect(mails).toContain(given.sent_to);
    expect(mails).toContain(tokenOf(given));
  });
});
