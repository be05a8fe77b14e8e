import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { createInboxEmulator } from '#emulators/inbox/index.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { openMessage } from '#server/messages/send-message.ts';
import { buildSms } from '#server/messages/templates/build-sms.ts';
import { createPatient } from '#server/patients/create-patient.ts';
import { updatePatient } from '#server/patients/update-patient.ts';
import { cancelSubscription } from '../cancel/cancel-subscription.ts';
import { createSubscription } from '../create/create-subscription.ts';
import { createManageLink } from '../manage/create-manage-link.ts';
import { authenticateByLink } from '../manage/managed-subscription.ts';
import { createCheckoutLink, sendCheckoutLinks } from './create-checkout-link.ts';
import { listCheckoutLinks } from './list-checkout-links.ts';

let billing: Clinic<'stripe'>;
let inbox: Awaited<ReturnType<ReturnType<typeof createInboxEmulator>['start']>>;
let staff: Context;
const calls: string[] = [];
beforeAll(async () => {
  inbox = await createInboxEmulator({}).start();
  billing = await withClinic({
    stripe: true,
    env: {
      SMTP_URL: inbox.smtpUrl,
      MAIL_FROM: 'Example Clinic <clinic@example.test>',
      TWILIO_ACCOUNT_SID: 'AC00000000000000000000000000000000',
      TWILIO_AUTH_TOKEN: 'token-of-the-tests',
      TWILIO_FROM: '+15005550006',
      TWILIO_API_URL: inbox.url,
    },
  });
  staff = asPractitioner(billing.services, billing.tenant);
  const stripe = billing.services.providers.stripe();
  stripe.on('request', ({ path }: { path: string }) => calls.push(path));
});
afterAll(async () => {
  await billing?.stop();
  await inbox?.stop();
});

async function create(patient?: Partial<Parameters<typeof createPatient>[1]>) {
  const patient_id = patient
    ? (await createPatient(asAdmin(billing.services, billing.tenant), { first_name: 'Ada', ...patient })).id
    : await billing.patient();
  return createSubscription(staff, { patient_id, price_ids: [await billing.stripe.price()] });
}
const queued = async (identifier: string) =>
  staff.db.$queryRaw<{ payload: { tenantId: string; sealed: string } }[]>`
    select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = ${identifier} order by j.id`;

describe('sendCheckoutLinks', () => {
  it('reports the outcome per subscription, and sends nothing twice', async () => {
    billing.stripe.hold(true);
    const [one, two, unreachable, canceled] = [await create(), await create(), await create({}), await create()];
    await cancelSubscription(staff, { id: canceled.id });
    const otherTenant = asPractitioner(billing.services, await makeTenant(billing.services));
    const subscription_ids = [one.id, unreachable.id, canceled.id, 'sub_unknown', two.id, one.id];
    calls.length = 0;
    const { items } = await sendCheckoutLinks(staff, { subscription_ids });
    expect(calls).toEqual([]);
    billing.stripe.hold(false);
    expect(items).toMatchObject([
      { subscription_id: one.id, outcome: 'sent', sent_to: expect.stringContaining('@example.test'), reason: null },
      {
        subscription_id: unreachable.id,
        outcome: 'not_sent',
        reason: 'This patient has no email address to send the link to.',
      },
      { subscription_id: canceled.id, outcome: 'not_sent', reason: expect.stringContaining('nothing') },
      { subscription_id: 'sub_unknown', outcome: 'not_sent', patient_id: null, reason: expect.any(String) },
      { subscription_id: two.id, outcome: 'sent', patient_id: two.patient_id },
    ]);
    const mails = (await queued('send_mail')).length;
    const repeated = await sendCheckoutLinks(staff, { subscription_ids });
    expect(repeated.items.map(({ outcome }) => outcome)).toEqual([
      'sent_already',
      'not_sent',
      'not_sent',
      'not_sent',
      'sent_already',
    ]);
    expect(await queued('send_mail')).toHaveLength(mails);
    const [link, ...others] = await listCheckoutLinks(staff, { patient_id: one.patient_id });
    expect(others).toEqual([]);
    expect(link).toMatchObject({ state: 'live', sent_to: items[0]!.sent_to });
    const results = await sendCheckoutLinks(otherTenant, { subscription_ids: [one.id] });
    expect(results.items).toMatchObject([{ outcome: 'not_sent', patient_id: null }]);
    const app = asApplication(billing.services, billing.tenant);
    await expect(sendCheckoutLinks(app, { subscription_ids })).rejects.toMatchObject({ code: 'forbidden' });
    const entries = await staff.db.auditEntry.findMany({
      where: { action: 'subscriptions.create_checkout_link', objectId: { in: [one.id, two.id, unreachable.id] } },
    });
    expect(entries).toHaveLength(2);
  });

  it('sends by SMS to the number of the patient', async () => {
    const subscription = await create({ phone_number: '+12025550123' });
    const { items } = await sendCheckoutLinks(staff, { subscription_ids: [subscription.id], by: 'sms' });
    expect(items).toMatchObject([{ outcome: 'sent', sent_to: '+12025550123' }]);
    const [job] = (await queued('send_message')).slice(-1);
    const message = openMessage(billing.services, job!.payload);
    if (message.kind !== 'payment_link') throw new Error(`a message of kind ${message.kind}`);
    expect(JSON.stringify(job)).not.toContain('checkout');
    const { url } = await createCheckoutLink(staff, { subscription_id: subscription.id });
    expect(buildSms(message, 'Example Clinic')).toBe(`Example Clinic asks you to set up your payment: ${url}`);
    const withoutPhone = await create();
    await expect(
      createCheckoutLink(staff, { subscription_id: withoutPhone.id, send: true, by: 'sms' }),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  it('sends manage links too, which end when the patient’s addresses change', async () => {
    const subscription = await create({ phone_number: '+12025550124', email: 'wren@example.test' });
    const input = { subscription_id: subscription.id, send: true };
    const sent = await createManageLink(staff, { ...input, by: 'sms' });
    expect(sent.sent_to).toBe('+12025550124');
    const [job] = (await queued('send_message')).slice(-1);
    const message = openMessage(billing.services, job!.payload);
    if (message.kind !== 'manage_link') throw new Error(`a message of kind ${message.kind}`);
    expect(buildSms(message, 'Example Clinic')).toBe(`Your subscription with Example Clinic: ${sent.url}`);
    const visitor = contextFor(billing.services, { kind: 'visitor', tenantId: billing.tenant.id });
    const enter = (url: string) => authenticateByLink(visitor, url.split('#')[1]!);
    expect(await enter(sent.url)).toMatchObject({ subscriptionId: subscription.id });
    // The same link is emailed too, and both addresses count.
    expect(await createManageLink(staff, input)).toMatchObject({ url: sent.url });
    expect(await enter(sent.url)).toMatchObject({ subscriptionId: subscription.id });
    await updatePatient(staff, { id: subscription.patient_id, email: 'wren.elsewhere@example.test' });
    await expect(enter(sent.url)).rejects.toMatchObject({ code: 'not_found' });
    const next = await createManageLink(staff, { ...input, by: 'sms' });
    expect(await enter(next.url)).toMatchObject({ subscriptionId: subscription.id });
    await expect(enter(sent.url)).rejects.toMatchObject({ code: 'not_found' });
    const self = asPatient(billing.services, billing.tenant, subscription.patient_id);
    await expect(createManageLink(self, { ...input, by: 'sms' })).rejects.toMatchObject({ code: 'forbidden' });
  });
});
