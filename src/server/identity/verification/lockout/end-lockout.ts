import { type Context, contextFor, type Services, systemContext } from '#server/core/context.ts';
import { apiError } from '#server/core/errors.ts';
import { tenantOfToken } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { clearLockout } from '../failures.ts';
import { staffRoute } from '../person.ts';
import { asPatient } from '../request-context.ts';
import { consumeStep } from '../steps.ts';
import type { UnlockState } from './notify-patient.ts';

type EndLockoutInput = { token: string; ip: string; requestId: string };

/**
 * Ends a lockout with the link of the lockout email, for patients and the portal; the link works once.
 * @throws `expired_code`
 */
export async function endLockout(services: Services, { token, ip, requestId }: EndLockoutInput): Promise<void> {
  const tenantId = tenantOfToken(token);
  if (!tenantId) throw linkIsOver();
  const ctx = contextFor(services, { kind: 'visitor', tenantId }, { requestId, ip });
  const { email } = await ctx.db.$transaction(async (tx) => {
    const step = await consumeStep<UnlockState>(tx, ctx, 'reopening', token);
    if (!step) throw linkIsOver();
    const { patientId, clientId, state } = step;
    await clearLockout(tx, ctx, state.person, ip);
    if (patientId) {
      const change = {
        action: 'patients.unlock_sign_in' as const,
        object: { type: 'Patient', id: patientId },
        patientId,
      };
      await record(tx, asPatient(ctx, patientId, clientId), change);
    }
    return state;
  });
  if (email) await recordAtClinics(ctx, email);
}

async function recordAtClinics(services: Services, email: string): Promise<void> {
  for (const tenantId of await services.database.tenantsOf(staffRoute(email))) {
    const ctx: Context = systemContext(services, tenantId, 'reopen_sign_in');
    const user = await ctx.db.staffUser.findFirst({ where: { tenantId, email } });
    if (!user) continue;
    const change = { action: 'account.unlock_sign_in' as const, object: { type: 'StaffUser', id: user.id } };
    await ctx.db.$transaction((tx) => record(tx, ctx, change));
  }
}

const linkIsOver = () => apiError('expired_code', 'This link was used already, or is too old.');
