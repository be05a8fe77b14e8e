import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, asApplication, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { failOnReplay } from '#dev/testing/billing.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context } from '#server/core/context.ts';
import { checkStripe } from './check-integration.ts';
import { connectStripe } from './connect-stripe.ts';
import { listIntegrations } from './list-integrations.ts';
import { createOnboardingLink } from './router.ts';
import { getStripeAccount } from './stripe-account.ts';

let billing: Clinic<'stripe'>;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
});
afterAll(() => billing?.stop());

const newClinic = async (): Promise<Context> => asAdmin(billing.services, await makeTenant(billing.services));
const onboard = (account: string | null) => billing.stripe.control('trigger', { name: 'complete_onboarding', account });
const topics = async (ctx: Context) => {
  const rows = await ctx.db.event.findMany({ where: { eventType: 'integration' }, orderBy: { position: 'asc' } });
  return rows.map(({ eventTopic }) => eventTopic);
};

describe('connecting Stripe', () => {
  it('creates an account that needs onboarding, and is connected once its holder has completed it', async () => {
    const admin = await newClinic();
    expect(await listIntegrations(admin)).toMatchObject([{ status: 'disconnected' }, { status: 'disconnected' }]);
    const view = await connectStripe(admin);
    expect(view).toMatchObject({
      provider: 'stripe',
      status: 'degraded',
      account_id: expect.stringMatching(/^acct_/),
      details: { charges_enabled: false, details_submitted: false },
      requirements: ['The address of your website', 'A bank account for payouts', 'Agreement to Stripe’s terms'],
      publishable_key: expect.stringMatching(/^pk_test_/),
    });
    expect(view.findings.map(({ code }) => code)).toContain('onboarding_incomplete');
    const link = await createOnboardingLink(admin, {});
    expect(link.url).toContain(view.account_id);
    await onboard(view.account_id);
    await expect
      .poll(async () => (await listIntegrations(admin))[0], { timeout: 10_000 })
      .toMatchObject({ status: 'connected', findings: [{ code: 'no_active_price' }], requirements: [] });
    expect(await topics(admin)).toEqual(['connected', 'recovered']);
  });

  it('creates one account for repeated and concurrent requests', async () => {
    const admin = await newClinic();
    const views = await Promise.all([connectStripe(admin), connectStripe(admin), connectStripe(admin)]);
    const repeated = await connectStripe(admin);
    expect(new Set([...views, repeated].map(({ account_id }) => account_id)).size).toBe(1);
    expect(await topics(admin)).toEqual(['connected']);
    expect(await admin.db.tenantRoute.count({ where: { key: { startsWith: 'stripe:' } } })).toBe(1);
  });

  it('creates one account when the clinic is renamed between attempts, or Stripe replays a failure', async () => {
    const admin = await newClinic();
    const id = { tenantId: admin.tenantId };
    const { account_id } = await connectStripe(admin);
    /** As if the response had been lost. */
    const reconnect = async () => {
      await admin.db.integration.deleteMany({ where: id });
      return connectStripe(admin);
    };
    await admin.db.tenant.update({ where: { id: admin.tenantId }, data: { name: 'Renamed' } });
    expect((await reconnect()).account_id).toBe(account_id);
    const { business_profile } = await billing.stripe.api.accounts.retrieve(account_id!);
    expect(business_profile?.name).toBe('Renamed');
    failOnReplay(billing, `carelane-account-${admin.tenantId}`);
    expect((await reconnect()).account_id).not.toBe(account_id);
  });

  it('requires an admin; practitioners only see the status', async () => {
    const { services, tenant } = billing;
    const practitioner = asPractitioner(services, tenant);
    const [shown] = await listIntegrations(asAdmin(services, tenant));
    expect(shown).toMatchObject({ account_id: billing.stripe.accountId, checked_at: expect.any(String) });
    const nothing = {
      ...{ account_id: null, publishable_key: null, details: {}, requirements: [], findings: [], checked_at: null },
    };
    expect(await listIntegrations(practitioner)).toEqual([
      { provider: 'stripe', status: shown!.status, ...nothing },
      { provider: 'acuity', status: 'disconnected', ...nothing },
    ]);
    for (const verb of [connectStripe, checkStripe, (ctx: Context) => createOnboardingLink(ctx, {})])
      await expect(verb(practitioner)).rejects.toMatchObject({ code: 'forbidden' });
    const reader = asApplication(services, tenant, ['subscriptions:read']);
    await expect(listIntegrations(reader)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is undone when the holder revokes the access, and then creates another account', async () => {
    const admin = await newClinic();
    const { account_id } = await connectStripe(admin);
    await billing.stripe.control('trigger', { name: 'deauthorize', account: account_id });
    await expect.poll(async () => (await listIntegrations(admin))[0]?.status, { timeout: 10_000 }).toBe('disconnected');
    await expect(getStripeAccount(admin)).rejects.toMatchObject({ code: 'integration_not_connected' });
    expect((await connectStripe(admin)).account_id).not.toBe(account_id);
  });

  it('keeps an account whose access was lost and granted again, as after another platform’s key', async () => {
    const admin = await newClinic();
    const { account_id } = await connectStripe(admin);
    await billing.stripe.control('trigger', { name: 'deauthorize', account: account_id });
    await expect.poll(async () => (await listIntegrations(admin))[0]?.status, { timeout: 10_000 }).toBe('disconnected');
    delete billing.stripe.emulator.world.state.accounts[account_id!]!.account._deauthorized;
    const [back, same] = await Promise.all([connectStripe(admin), connectStripe(admin)]);
    expect(back).toMatchObject({ account_id, status: 'degraded' });
    expect(same.account_id).toBe(account_id);
    expect(await topics(admin)).toEqual(['connected', 'disconnected', 'connected']);
    await onboard(account_id);
    await expect.poll(async () => (await listIntegrations(admin))[0]?.status, { timeout: 10_000 }).toBe('connected');
  });
});

describe('checking Stripe', () => {
  it('names prices with a malformed trial', async () => {
    const admin = asAdmin(billing.services, billing.tenant);
    const wrong = await billing.stripe.price({ trial: 'a month' });
    await billing.stripe.price({ trial: '30' });
    const { findings } = await checkStripe(admin);
    expect(findings).toMatchObject([{ code: 'malformed_trial', message: expect.stringContaining(wrong) }]);
  });

  it('fails with the provider’s name while Stripe is down, and deletes nothing', async () => {
    const admin = asAdmin(billing.services, billing.tenant);
    billing.stripe.emulator.faults.add({ match: { path: '/v1/accounts/:id' }, kind: '503', times: 4 });
    await expect(checkStripe(admin)).rejects.toMatchObject({ code: 'provider_unavailable' });
    billing.stripe.emulator.faults.clear();
    expect((await listIntegrations(admin))[0]?.account_id).toBe(billing.stripe.accountId);
  });
});
