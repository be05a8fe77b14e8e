import type { Finding, IntegrationView } from '#contract/settings.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { type EventName, record } from '#server/core/record.ts';
import { AcuityError } from '#server/providers/acuity.ts';
import { getAcuityAccount } from './get-acuity-account.ts';
import { presentAcuity } from './present-acuity.ts';
import { type AcuityReading, readAcuitySettings } from './read-acuity-settings.ts';

/** Asks Acuity how the connection stands now; an account that cannot be reached is `degraded`, never forgotten. */
export async function checkAcuity(ctx: Context): Promise<IntegrationView> {
  requireAdmin(ctx.actor);
  const { acuity } = await getAcuityAccount(ctx);
  const reading = await read(ctx, acuity);
  const status = reading.me ? 'connected' : 'degraded';
  return ctx.db.$transaction(async (tx) => {
    const where = { tenantId_provider: { tenantId: ctx.tenantId, provider: 'acuity' } };
    await tx.$queryRaw`select 1 from integrations where tenant_id = ${ctx.tenantId}::uuid and provider = 'acuity' for update`;
    const before = await tx.integration.findUniqueOrThrow({ where });
    const row = await tx.integration.update({
      where,
      data: {
        status,
        findings: reading.findings,
        ...(reading.me && { settings: reading.notes }),
        checkedAt: ctx.clock.now(),
        updatedAt: ctx.clock.now(),
      },
    });
    const shown = presentAcuity(row);
    if (before.status !== status) {
      const event: EventName = status === 'connected' ? 'integration.recovered' : 'integration.degraded';
      const object = { type: 'Integration', id: 'acuity' };
      await record(tx, ctx, { action: 'integrations.check', object, event, payload: shown });
    }
    return shown;
  });
}

async function read(
  ctx: Context,
  acuity: Parameters<typeof readAcuitySettings>[1],
): Promise<AcuityReading | { me: null; findings: Finding[] }> {
  try {
    return await readAcuitySettings(ctx, acuity);
  } catch (error) {
    if (!(error instanceof AcuityError)) throw error;
    const { code, detail } = error.faults[0]!;
    return { me: null, findings: [{ code, message: detail }] };
  }
}
