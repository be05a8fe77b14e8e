import type { Role } from '#contract/settings.ts';
import { contextFor, type Services } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { record } from '../../core/record.ts';

type Proven = { id: string; tenantId: string; role: Role; passwordHash: string };

/**
 * Begins a session of somebody who has just proved who they are; gives its id. Null when they were disabled or their
 * password was changed meanwhile: whoever ends all sessions waits for this row, or this finds the change.
 */
export async function beginStaffSession(services: Services, proven: Proven): Promise<string | null> {
  const { id: userId, tenantId, role, passwordHash } = proven;
  const ctx = contextFor(services, { kind: role, tenantId, userId });
  const now = ctx.clock.now();
  const id = newId(now);
  return ctx.db.$transaction(async (tx) => {
    const { count } = await tx.staffUser.updateMany({
      where: { tenantId, id: userId, passwordHash, disabledAt: null },
      data: { lastSignedInAt: now },
    });
    if (count === 0) return null;
    await tx.staffSession.create({ data: { id, tenantId, userId, createdAt: now } });
    await record(tx, ctx, { action: 'account.sign_in', object: { type: 'StaffUser', id: userId } });
    return id;
  });
}
