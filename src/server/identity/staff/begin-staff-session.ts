import type { Role } from '#contract/settings.ts';
import { contextFor, type Services } from '../../core/context.ts';
import { Prisma } from '../../core/db.ts';
import { newId } from '../../core/ids.ts';
import { record } from '../../core/record.ts';
import { knowingDevice, secretOfSession } from '../proving/known-device.ts';

/** `isTwoStep`: the second step was verified too. */
type Proven = { id: string; tenantId: string; role: Role; passwordHash: string; isTwoStep: boolean };

/** `device` is the secret that makes the browser known from now on; null if it was known already. */
export type BegunStaffSession = { sessionId: string; device: string | null };

/**
 * Starts a session for a staff user who has just authenticated and makes the browser a known device. Returns null if
 * the user was disabled, the password was changed or the second step was turned on in the meantime: the code that ends
 * all sessions waits for these rows, or this statement sees its change.
 * @param presented secret of a known device that the browser holds for this account
 */
export async function beginStaffSession(
  services: Services,
  proven: Proven,
  presented?: string,
  from: { ip?: string; userAgent?: string | null } = {},
): Promise<BegunStaffSession | null> {
  const { id: userId, tenantId, role, passwordHash, isTwoStep } = proven;
  const ctx = contextFor(services, { kind: role, tenantId, userId }, from);
  const now = ctx.clock.now();
  const id = newId(now);
  return ctx.db.$transaction(async (tx) => {
    const [step] = await tx.$queryRaw<{ isOn: boolean }[]>`
      select secret is not null as "isOn" from staff_two_steps
      where tenant_id = ${tenantId}::uuid and user_id = ${userId}::uuid for share`;
    if (step?.isOn && !isTwoStep) return null;
    const { count } = await tx.staffUser.updateMany({
      where: { tenantId, id: userId, passwordHash, disabledAt: null },
      data: { lastSignedInAt: now },
    });
    if (count === 0) return null;
    await tx.staffSession.create({ data: { id, tenantId, userId, createdAt: now } });
    await record(tx, ctx, { action: 'account.sign_in', object: { type: 'StaffUser', id: userId } });
    const secret = secretOfSession(ctx, id);
    const once = Prisma.sql`(values (1)) as once`;
    const { known, device } = knowingDevice(ctx, { staffUserId: userId }, { presented, secret, from: once });
    const [row] = await tx.$queryRaw<{ isNew: boolean }[]>`
      with known as (${known}), device as (${device}) select exists (select from device) as "isNew"`;
    return { sessionId: id, device: row!.isNew ? secret : null };
  });
}
