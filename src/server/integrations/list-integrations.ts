import type { IntegrationProvider, IntegrationView, StripeRepairView, StripeSyncView } from '#contract/integrations.ts';
import { isStaff, requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { presentIntegration } from './integration.ts';
import { getBillingSettings, presentUnknownSubscription } from './stripe-account.ts';

const SHOWN = 10;

/** The state of the synchronisation with an account at Acuity. */
async function getAcuitySync(
  { db, tenantId, config, clock }: Pick<Context, 'tenantId' | 'config' | 'clock'> & { db: Tx },
  accountId: string,
): Promise<StripeSyncView> {
  const where = { tenantId, accountId };
  const [state, webhook, repairs, unmatched] = await Promise.all([
    db.schedulingReconcile.findFirst({ where }),
    db.inboundEvent.findFirst({
      where: { ...where, provider: 'acuity' },
      orderBy: { receivedAt: 'desc' },
      select: { receivedAt: true },
    }),
    db.schedulingRepair.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: SHOWN }),
    db.unmatchedAppointment.count({
      where: { ...where, status: 'scheduled', ignoredAt: null, endAt: { gt: clock.now() } },
    }),
  ]);
  return {
    last_webhook_at: webhook?.receivedAt.toISOString() ?? null,
    last_reconcile_at: state?.lastRunAt?.toISOString() ?? null,
    answered: !state?.lastError,
    compared_at: state?.passEndedAt?.toISOString() ?? null,
    compared: state?.compared ?? 0,
    bound_seconds: config.scheduling.reconcileMs / 1000,
    repaired: Number(state?.repaired ?? 0),
    repairs: repairs.map(({ id, objectId, what, createdAt }) => ({
      id,
      object_id: objectId,
      found_by: 'comparison',
      what,
      created_at: createdAt.toISOString(),
    })),
    unknown: [],
    unmatched,
  };
}

/**
 * Returns the stored state of both providers. Staff without `settings:manage` only see the status.
 */
export async function listIntegrations(ctx: Context): Promise<IntegrationView[]> {
  if (!isStaff(ctx.actor)) requireAdmin(ctx.actor, 'settings:manage');
  if (isStaff(ctx.actor) && !ctx.actor.permissions.has('settings:manage'))
    return Promise.all(
      (['stripe', 'acuity'] as const).map(async (provider) => {
        const { status } = await read(ctx, provider);
        return { ...HIDDEN, provider, status };
      }),
    );
  return [await getStripeIntegration(ctx), await getAcuityIntegration(ctx)];
}

/** A context, also one whose `db` is a transaction. */
type ReadContext = Omit<Context, 'db'> & { db: Tx };

/** Returns the stored state of Stripe, the billing settings and the state of the synchronisation. */
export async function getStripeIntegration(ctx: ReadContext): Promise<IntegrationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const stripe = await read(ctx, 'stripe');
  const settings = await getBillingSettings(ctx.db, ctx.tenantId);
  if (!stripe.account_id || stripe.status === 'disconnected') return { ...stripe, settings };
  return { ...stripe, settings, sync: await getStripeSync(ctx, stripe.account_id) };
}

/** Returns the stored state of Acuity and the state of the synchronisation. */
export async function getAcuityIntegration(ctx: ReadContext): Promise<IntegrationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { emulatorUrl } = ctx.config.acuity;
  const acuity = { ...(await read(ctx, 'acuity')), ...(emulatorUrl && { sandbox_url: emulatorUrl }) };
  if (!acuity.account_id || acuity.status === 'disconnected') return acuity;
  return { ...acuity, sync: await getAcuitySync(ctx, acuity.account_id) };
}

async function read(ctx: ReadContext, provider: IntegrationProvider): Promise<IntegrationView> {
  const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider } });
  return presentIntegration(ctx, provider, row);
}

const HIDDEN = {
  account_id: null,
  publishable_key: null,
  details: {},
  requirements: [],
  findings: [],
  checked_at: null,
};

const MAX_UNKNOWN = 50;

/** The state of the synchronisation with an account at Stripe. */
async function getStripeSync(
  { db, tenantId, config }: Pick<Context, 'tenantId' | 'config'> & { db: Tx },
  accountId: string,
): Promise<StripeSyncView> {
  const where = { tenantId, accountId };
  const [state, webhook, repairs, unknown] = await Promise.all([
    db.stripeReconcile.findFirst({ where }),
    lastWebhookAt({ db, tenantId }, accountId),
    db.stripeRepair.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: SHOWN }),
    db.unknownSubscription.findMany({
      where: { ...where, leftAloneAt: null },
      orderBy: [{ firstSeenAt: 'desc' }, { id: 'asc' }],
      take: MAX_UNKNOWN,
    }),
  ]);
  return {
    last_webhook_at: webhook?.toISOString() ?? null,
    last_reconcile_at: state?.lastRunAt?.toISOString() ?? null,
    answered: !state?.lastError,
    compared_at: state?.passEndedAt?.toISOString() ?? null,
    compared: state?.compared ?? 0,
    bound_seconds: config.stripe.reconcileMs / 1000,
    repaired: Number(state?.repaired ?? 0),
    repairs: repairs.map(({ id, objectId, foundBy, what, createdAt }) => ({
      id,
      object_id: objectId,
      found_by: foundBy as StripeRepairView['found_by'],
      what,
      created_at: createdAt.toISOString(),
    })),
    unknown: unknown.map(presentUnknownSubscription),
  };
}

/** When a webhook last delivered an event, including one that was found in the list first. */
async function lastWebhookAt({ db, tenantId }: Pick<Context, 'tenantId'> & { db: Tx }, accountId: string) {
  const [row] = await db.$queryRaw<{ at: Date | null }[]>`
    select greatest(
      (select max(received_at) from inbound_events
        where tenant_id = ${tenantId}::uuid and provider = 'stripe' and account_id = ${accountId} and found_by is null),
      (select max(delivered_at) from inbound_events
        where tenant_id = ${tenantId}::uuid and provider = 'stripe' and account_id = ${accountId}
          and delivered_at is not null)) as at`;
  return row?.at ?? null;
}
