import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { MINUTE } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError, type CarelaneError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import type { Acuity } from '#server/providers/acuity.ts';
import type {
  Priority,
  ProviderAppointmentType,
  SchedulingError,
  SchedulingProvider,
} from '#server/providers/scheduling-provider.ts';

/** `accountId` is Acuity's own id, which is stored with each appointment. */
export type AcuityAccount = { provider: Acuity; accountId: string; userId: string; apiKey: string };
type AccountContext = Pick<Context, 'db' | 'tenantId' | 'cipher' | 'config' | 'log' | 'providers'> &
  Partial<Pick<Context, 'keyed'>>;

/** The additional data that binds the encrypted credentials to their tenant. */
export const acuityCredentialsOf = (tenantId: string): string => `integrations/${tenantId}/acuity/credentials`;

/** Returns the tenant's account at Acuity, or null. `turn` is the priority of its calls. */
export async function findAcuityAccount(ctx: AccountContext, turn?: Priority): Promise<AcuityAccount | null> {
  const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
  if (!row?.credentials || row.status === 'disconnected') return null;
  const credentials = ctx.cipher.open(row.credentials, acuityCredentialsOf(ctx.tenantId));
  const { user_id: userId, api_key: apiKey } = JSON.parse(credentials) as { user_id: string; api_key: string };
  return {
    provider: ctx.providers.acuity(ctx, { userId, apiKey }, turn),
    accountId: row.accountId ?? userId,
    userId,
    apiKey,
  };
}

/**
 * Returns the tenant's account at Acuity.
 * @throws `integration_not_connected` (422)
 */
export async function getAcuityAccount(ctx: AccountContext): Promise<AcuityAccount> {
  const account = await findAcuityAccount(ctx);
  if (!account) throw notConnected();
  return account;
}

/** 422 `integration_not_connected`. `otherwise` says what works without an account. */
const notConnected = (otherwise?: string): CarelaneError =>
  apiError(
    'integration_not_connected',
    [`${SCHEDULING_PROVIDER.name} is not connected.`, otherwise, 'An administrator can connect it under Integrations.']
      .filter(Boolean)
      .join(' '),
  );

/** `accountId` is the provider's own id, which is stored with each appointment. */
export type SchedulingAccount = { provider: SchedulingProvider; accountId: string };

/** Returns the tenant's account at the scheduling provider, or null. `turn` is the priority of its calls. */
export const findSchedulingAccount = (ctx: AccountContext, turn?: Priority): Promise<SchedulingAccount | null> =>
  findAcuityAccount(ctx, turn);

/**
 * Returns the tenant's account. `otherwise` is the part of the error that says what works without one.
 * @throws `integration_not_connected` (422)
 */
export async function getSchedulingAccount(
  ctx: AccountContext,
  turn?: Priority,
  otherwise?: string,
): Promise<SchedulingAccount> {
  const account = await findSchedulingAccount(ctx, turn);
  if (!account) throw notConnected(otherwise);
  return account;
}

/**
 * Returns the 422 `integration_misconfigured` for a type that cannot be booked with the provider's settings, and queues
 * a check, so that Integrations shows what to do.
 * @param error how the provider rejected the booking; null when the type has no location field
 */
export async function typeMisconfigured(
  ctx: Context,
  { id, name }: ProviderAppointmentType,
  error: SchedulingError | null,
): Promise<CarelaneError> {
  await queueAcuityCheck(ctx);
  const meta = { appointment_type_id: id };
  if (!error)
    return apiError(
      'integration_misconfigured',
      `In Acuity, the appointment type "${name}" lacks the internal form named exactly "Location" with a question named exactly "Location". An administrator must attach it.`,
      { meta },
    );
  return apiError(
    'integration_misconfigured',
    `Acuity refuses the intake forms of "${name}" (${error.providerCode}): its "Location" form must be attached and internal, and no form shown to clients may have a required question. An administrator must put this right in Acuity.`,
    {
      people: `Acuity does not take bookings of “${name}” as it is set up. An administrator can see what to do under Integrations.`,
      meta,
    },
  );
}

const CHECK_INTERVAL_MS = MINUTE;

/**
 * Queues a check of a connected account after a booking failed because of its settings, so that the Integrations page
 * shows the reason within a minute. At most one check a minute.
 */
async function queueAcuityCheck({ db, tenantId, clock }: Context): Promise<void> {
  const row = await db.integration.findFirst({ where: { tenantId, provider: 'acuity' } });
  if (row?.status !== 'connected') return;
  const runAt = new Date(Math.max(clock.now().getTime(), (row.checkedAt?.getTime() ?? 0) + CHECK_INTERVAL_MS));
  await enqueue(db, 'check_acuity', { tenantId }, { runAt, key: `check_acuity:${tenantId}`, keepEarlier: true });
}

/**
 * Makes the next request read the provider's types and calendars again. The cached ones stay for comparison, so that
 * availability affected by changes is read again.
 */
export async function invalidateCatalogue({
  db,
  tenantId,
  catalogues,
}: Pick<Context, 'db' | 'tenantId' | 'catalogues'>): Promise<void> {
  await db.providerSnapshot.updateMany({
    where: { tenantId, provider: SCHEDULING_PROVIDER.id, kind: 'offerings' },
    data: { fetchedAt: new Date(0) },
  });
  catalogues.delete(tenantId);
}

/** Records a repair of a change that no webhook reported, in the transaction of the repair. */
export async function recordSchedulingRepair(
  tx: Tx,
  ctx: Context,
  repair: { accountId: string; objectId: string; what: string },
): Promise<void> {
  const now = ctx.clock.now();
  const { tenantId } = ctx;
  await tx.schedulingRepair.create({ data: { id: newId(now), tenantId, ...repair, createdAt: now } });
  await tx.schedulingReconcile.upsert({
    where: { tenantId_accountId: { tenantId, accountId: repair.accountId } },
    create: { tenantId, accountId: repair.accountId, repaired: 1 },
    update: { repaired: { increment: 1 } },
  });
}
