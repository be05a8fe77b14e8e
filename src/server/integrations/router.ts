import { z } from 'zod';
import {
  type BillingSettings,
  ConnectAcuityInput,
  DisconnectAcuityInput,
  DisconnectStripeInput,
  IntegrationProvider,
  type IntegrationView,
  type OnboardingLinkView,
  RepairAcuityInput,
  StripeOnboardingInput,
  UpdateAcuityInput,
  UpdateStripeInput,
} from '#contract/integrations.ts';
import { NoInput } from '#contract/patients.ts';
import { CARE_ROLES } from '#contract/roles.ts';
import { assertAllowedPages } from '#server/clinic/index.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { noPatient, router } from '#server/core/trpc.ts';
import { repairAtEmulator } from '#server/providers/acuity-emulator.ts';
import { checkAcuity, checkStripe, startReconciliation } from './check-integration.ts';
import { connectAcuity, updateAcuity } from './connect-acuity.ts';
import { connectStripe } from './connect-stripe.ts';
import { removeTenantWebhooks } from './inspect-acuity.ts';
import { endPaymentLinks, presentIntegration } from './integration.ts';
import { getAcuityIntegration, getStripeIntegration, listIntegrations } from './list-integrations.ts';
import { findAcuityAccount, invalidateCatalogue } from './scheduling-account.ts';
import { getBillingSettings, getStripeAccount, updateGrace } from './stripe-account.ts';

/**
 * Disconnects the account: deletes its credentials here and the webhook at Acuity. Appointments stay readable, and
 * nothing is canceled at Acuity; until an account is connected, none can be booked, rescheduled or canceled here.
 * Idempotent.
 * @throws `conflict` (409) for another account than the connected one
 */
export async function disconnectAcuity(ctx: Context, input: DisconnectAcuityInput): Promise<IntegrationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { tenantId } = ctx;
  const account = await findAcuityAccount(ctx);
  const isDone = await ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`select 1 from integrations
      where tenant_id = ${tenantId}::uuid and provider = 'acuity' for update`;
    const id = { tenantId_provider: { tenantId, provider: 'acuity' } };
    const before = await tx.integration.findUnique({ where: id });
    if (before?.accountId !== input.account_id)
      throw apiError('conflict', 'This account is not the one that is connected.', {
        source: { parameter: 'account_id' },
      });
    if (before.status === 'disconnected') return false;
    const after = await tx.integration.update({
      where: id,
      data: {
        status: 'disconnected',
        credentials: null,
        settings: {},
        findings: [],
        checkedAt: ctx.clock.now(),
      },
    });
    await tx.providerSnapshot.deleteMany({ where: { tenantId, provider: 'acuity' } });
    await tx.availabilityDay.deleteMany({ where: { tenantId } });
    await record(tx, ctx, {
      action: 'integrations.disconnect',
      object: { type: 'Integration', id: 'acuity' },
      event: 'integration.disconnected',
      payload: presentIntegration(ctx, 'acuity', after),
      details: { account_id: input.account_id },
    });
    return true;
  });
  await invalidateCatalogue(ctx);
  if (isDone && account?.userId === input.account_id) await removeTenantWebhooks(ctx, account.provider);
  return getAcuityIntegration(ctx);
}

/** Changes the billing settings; fields left out stay. The audit entry lists the changed fields. */
export async function updateStripe(ctx: Context, input: UpdateStripeInput): Promise<IntegrationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { tenantId } = ctx;
  const fields = await ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`select 1 from tenants where id = ${tenantId}::uuid for update`;
    const before = await getBillingSettings(tx, tenantId);
    const changed = (Object.keys(before) as (keyof BillingSettings)[]).filter(
      (name) => input[name] !== undefined && input[name] !== before[name],
    );
    const after = { ...before, ...Object.fromEntries(changed.map((name) => [name, input[name]])) } as BillingSettings;
    await tx.tenant.update({
      where: { id: tenantId },
      data: {
        trialEnd: after.trial_end,
        trialOnce: after.trial_once,
        graceDays: after.grace_days,
        patientsMayCancel: after.patients_may_cancel,
        patientsMayChangePlan: after.patients_may_change_plan,
        proration: after.proration,
      },
    });
    if (changed.includes('grace_days')) await updateGrace(tx, ctx);
    await record(tx, ctx, {
      action: 'integrations.update',
      object: { type: 'Integration', id: 'stripe' },
      details: { fields: changed },
    });
    return changed;
  });
  // A concurrent sync may have used the previous grace days.
  if (fields.includes('grace_days')) await ctx.db.$transaction((tx) => updateGrace(tx, ctx));
  return getStripeIntegration(ctx);
}

/**
 * In a sandbox, fixes the cause of a finding at the Acuity emulator and checks again.
 * @throws `not_found` (404) outside a sandbox
 * @throws `conflict` (409) when only a person can fix it
 */
export async function repairAcuity(ctx: Context, input: RepairAcuityInput): Promise<IntegrationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { tenantId, db, config } = ctx;
  const row = await db.integration.findFirst({ where: { tenantId, provider: 'acuity' } });
  if (!row?.accountId || row.status === 'disconnected')
    throw apiError('integration_not_connected', 'Acuity is not connected.');
  const staff = await db.staffUser.findMany({
    where: { tenantId, disabledAt: null, role: { in: [...CARE_ROLES] } },
    orderBy: { createdAt: 'asc' },
    select: { email: true },
  });
  await repairAtEmulator(config, {
    account: row.accountId,
    code: input.code,
    object: input.object_id ?? null,
    emails: staff.map(({ email }) => email),
  });
  return checkAcuity(ctx);
}

/**
 * Disconnects the account. Its stored data stays, and nothing ends at Stripe, where the account belongs to its holder.
 * Payment links end, and later events of the account are ignored. Idempotent. The request names the account so that a
 * delayed retry cannot disconnect an account that was connected later.
 * @throws `conflict` (409) for another account than the connected one
 */
export async function disconnectStripe(ctx: Context, input: DisconnectStripeInput): Promise<IntegrationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    await tx.$queryRaw`select 1 from integrations
      where tenant_id = ${tenantId}::uuid and provider = 'stripe' for update`;
    const id = { tenantId_provider: { tenantId, provider: 'stripe' } };
    const before = await tx.integration.findUnique({ where: id });
    if (before?.accountId !== input.account_id)
      throw apiError('conflict', 'This account is not the one that is connected.', {
        source: { parameter: 'account_id' },
      });
    const settings = await getBillingSettings(tx, tenantId);
    if (before.status === 'disconnected') return { ...presentIntegration(ctx, 'stripe', before), settings };
    const now = ctx.clock.now();
    const after = await tx.integration.update({
      where: id,
      data: { status: 'disconnected', settings: {}, findings: [], checkedAt: now },
    });
    await tx.tenantRoute.deleteMany({ where: { tenantId, key: `stripe:${input.account_id}` } });
    await tx.providerSnapshot.deleteMany({ where: { tenantId, provider: 'stripe' } });
    await endPaymentLinks(tx, ctx);
    const view = presentIntegration(ctx, 'stripe', after);
    await record(tx, ctx, {
      action: 'integrations.disconnect',
      object: { type: 'Integration', id: 'stripe' },
      event: 'integration.disconnected',
      payload: view,
      details: { account_id: input.account_id },
    });
    return { ...view, settings };
  });
}

/**
 * Creates a link to Stripe's onboarding page, which opens once and for minutes only. An expired link leads to the
 * Integrations page, which creates another one for a signed-in admin; or to the caller's own page.
 */
export async function createOnboardingLink(ctx: Context, input: StripeOnboardingInput): Promise<OnboardingLinkView> {
  requireAdmin(ctx.actor, 'settings:manage');
  await assertAllowedPages(ctx, { return_url: input.return_url, refresh_url: input.refresh_url });
  const page = `${ctx.config.publicUrl}/settings/integrations`;
  const accountId = await getStripeAccount(ctx);
  const link = await ctx.providers.stripeClient(ctx).createOnboardingLink(accountId, {
    refresh_url: input.refresh_url ?? `${page}?stripe=expired`,
    return_url: input.return_url ?? `${page}?stripe=returned`,
  });
  const view = { url: link.url, expires_at: link.expires_at.toISOString() };
  await ctx.db.$transaction((tx) =>
    record(tx, ctx, {
      action: 'integrations.begin_onboarding',
      object: { type: 'Integration', id: 'stripe' },
      response: view,
      isNews: true,
      details: { account_id: accountId },
    }),
  );
  return view;
}

const CheckInput = z.strictObject({ provider: IntegrationProvider });

export const integrationsRouter = router({
  list: noPatient.input(NoInput).query(({ ctx }) => listIntegrations(ctx)),
  getStripe: noPatient.input(NoInput).query(({ ctx }) => getStripeIntegration(ctx)),
  connectStripe: noPatient.input(NoInput).mutation(({ ctx }) => connectStripe(ctx)),
  updateStripe: noPatient.input(UpdateStripeInput).mutation(({ ctx, input }) => updateStripe(ctx, input)),
  disconnectStripe: noPatient.input(DisconnectStripeInput).mutation(({ ctx, input }) => disconnectStripe(ctx, input)),
  stripeOnboarding: noPatient
    .input(StripeOnboardingInput)
    .mutation(({ ctx, input }) => createOnboardingLink(ctx, input)),
  getAcuity: noPatient.input(NoInput).query(({ ctx }) => getAcuityIntegration(ctx)),
  connectAcuity: noPatient.input(ConnectAcuityInput).mutation(({ ctx, input }) => connectAcuity(ctx, input)),
  updateAcuity: noPatient.input(UpdateAcuityInput).mutation(({ ctx, input }) => updateAcuity(ctx, input)),
  disconnectAcuity: noPatient.input(DisconnectAcuityInput).mutation(({ ctx, input }) => disconnectAcuity(ctx, input)),
  repairAcuity: noPatient.input(RepairAcuityInput).mutation(({ ctx, input }) => repairAcuity(ctx, input)),
  check: noPatient.input(CheckInput).mutation(async ({ ctx, input: { provider } }) => {
    const view = await (provider === 'stripe' ? checkStripe(ctx) : checkAcuity(ctx));
    await startReconciliation(ctx, provider);
    return view;
  }),
});
