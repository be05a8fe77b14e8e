import type { Finding } from '#contract/integrations.ts';
import type { Context } from '#server/core/context.ts';
import { messageForPeople } from '#server/core/errors.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import type { AcuityAccount } from './acuity-account.ts';
import { acuityLinks } from './acuity-findings.ts';
import { formerAccountFindings } from './appointment-findings.ts';
import { inspectAcuitySettings } from './inspect-acuity-settings.ts';
import type { Details } from './present-integration.ts';
import { type Check, saveCheck } from './save-check.ts';

/**
 * Inspects the connected account. One that cannot be reached or rejects the credentials is `degraded`, never
 * disconnected.
 */
export async function inspectAcuity(ctx: Context, account: AcuityAccount): Promise<Check> {
  const { provider: acuity, accountId } = account;
  try {
    const { status, details, findings } = await inspectAcuitySettings(ctx, acuity);
    return { accountId, status, details, findings: [...findings, ...(await formerAccountFindings(ctx, accountId))] };
  } catch (error) {
    if (!(error instanceof SchedulingError)) throw error;
    const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
    const findings = [errorFinding(ctx, error, accountId)];
    return { accountId, status: 'degraded', details: row?.settings as Details, findings, isUnread: true };
  }
}

/** The finding for an error of Acuity: 401 is a wrong key, 403 a plan without the API. */
function errorFinding({ config }: Pick<Context, 'config'>, error: SchedulingError, accountId: string): Finding {
  const object = { type: 'Account' as const, id: accountId, name: accountId };
  const link = acuityLinks(config, accountId)('account');
  if (error.code !== 'integration_misconfigured') {
    const [fault] = error.faults;
    if (!fault) throw error;
    return { code: fault.code, message: messageForPeople(fault), object };
  }
  if (lacksApi(error))
    return {
      code: 'plan_without_api',
      message: 'The plan of this Acuity account does not include the API: nothing can be read or booked.',
      object,
      fix: 'In Acuity, take a plan with API access (and one that is fit for health data), then check again.',
      link,
    };
  return {
    code: 'credentials_refused',
    message: 'Acuity refuses the User ID and API key that are kept here: nothing can be read or booked.',
    object,
    fix: 'Copy both from Acuity, under Integrations, API, and give them here with "Change the connection".',
    link,
  };
}

export const lacksApi = ({ providerCode }: SchedulingError): boolean =>
  providerCode === 'forbidden' || providerCode === 'status_403';

/**
 * Notes when webhooks have stopped: a repair was needed longer ago than the bound, and no webhook has arrived since.
 * Emits `integration.degraded`, and `integration.recovered` when one arrives again.
 */
export async function recordAcuitySilence(ctx: Context, account: AcuityAccount): Promise<void> {
  const { tenantId, db, clock, config } = ctx;
  const { accountId } = account;
  const since = await silentSince(ctx, accountId);
  const where = { tenantId, accountId };
  const before = await db.schedulingReconcile.findFirst({ where });
  const isLong = since !== null && clock.now().getTime() - since.getTime() >= config.scheduling.reconcileMs;
  if (isLong === (before?.silentSince != null)) return;
  await db.schedulingReconcile.updateMany({ where, data: { silentSince: isLong ? since : null } });
  await saveCheck(ctx, 'acuity', await inspectAcuity(ctx, account));
}

/** The time of the first repair after the last webhook and after its registration, or null. */
async function silentSince({ db, tenantId }: Context, accountId: string): Promise<Date | null> {
  const [row] = await db.$queryRaw<{ since: Date | null }[]>`
    select min(created_at) as since from scheduling_repairs
    where tenant_id = ${tenantId}::uuid and account_id = ${accountId} and what <> 'webhook'
      and created_at > greatest(
        (select max(received_at) from inbound_events
          where tenant_id = ${tenantId}::uuid and provider = 'acuity' and account_id = ${accountId}),
        (select (settings->>'webhook_since')::timestamptz from integrations
          where tenant_id = ${tenantId}::uuid and provider = 'acuity'))`;
  return row?.since ?? null;
}
