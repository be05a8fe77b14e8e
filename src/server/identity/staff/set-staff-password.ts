import { sendMessage } from '#server/messages/index.ts';
import type { Context } from '../../core/context.ts';
import type { Tx } from '../../core/db.ts';
import { record } from '../../core/record.ts';
import { deleteKnownDevices } from '../verification/known-device.ts';
import { endStaffSessions } from './end-staff-sessions.ts';

type Person = { id: string; email: string };
type Setting = {
  passwordHash: string;
  action: 'account.change_password' | 'account.reset_password';
  /** The session that stays. */
  except?: string | undefined;
  /** The hash of the verified password, which must not have been replaced since. */
  expectedHash?: string | null;
};

/**
 * Sets a password: all sessions but one end, other password links become invalid, and the owner gets an email. A reset
 * also removes all known devices. Returns false and changes nothing once the verified password was replaced.
 */
export async function setStaffPassword(tx: Tx, ctx: Context, user: Person, setting: Setting): Promise<boolean> {
  const { tenantId } = ctx;
  const { passwordHash, action, except, expectedHash } = setting;
  const { count } = await tx.staffUser.updateMany({
    where: { tenantId, id: user.id, ...(expectedHash && { passwordHash: expectedHash }) },
    data: { passwordHash },
  });
  if (count === 0) return false;
  await tx.staffLink.deleteMany({ where: { tenantId, userId: user.id } });
  if (action === 'account.reset_password') await deleteKnownDevices(tx, ctx, { staffUserId: user.id });
  await endStaffSessions(tx, ctx, { userId: user.id, except }, 'password_changed');
  await record(tx, ctx, { action, object: { type: 'StaffUser', id: user.id } });
  await sendMessage(tx, ctx, { kind: 'staff_password_changed', staffUserId: user.id, to: user.email });
  return true;
}
