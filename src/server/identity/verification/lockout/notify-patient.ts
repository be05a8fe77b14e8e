import { DAY } from '#server/core/clock.ts';
import { asServiceForVisitor, type Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { recordAccess } from '#server/core/record-access.ts';
import { sendMessage } from '#server/messages/index.ts';
import { isNotified, lockedOut, notifyOfLockout } from '../failures.ts';
import { personKey } from '../person.ts';
import { storeStep } from '../steps.ts';

export const UNLOCK_LINK_LIFETIME = 3 * DAY;

/** State behind an unlock link. `email` is set for the portal only. */
export type UnlockState = { person: string; email?: string };
/** The locked account: the address of the request and its patient, if any. */
type LockedAccount = { row: string; email: string; patientId: string | null; clientId: string };

export const unlockUrl = (ctx: Context, token: string): string => `${ctx.config.publicUrl}/new-devices#${token}`;

/**
 * Emails the unlock link once a day. An address without an account gets a notice instead, so that the response reveals
 * nothing.
 */
export const notifyPatient = (ctx: Context, { row, email, patientId, clientId }: LockedAccount): Promise<void> =>
  notifyOfLockout(ctx, row, async (tx: Tx) => {
    const state: UnlockState = { person: personKey(ctx, email) };
    const step = { patientId, clientId, state, lifetimeMs: UNLOCK_LINK_LIFETIME };
    const token = await storeStep(tx, ctx, 'reopening', step);
    const until = new Date(ctx.clock.now().getTime() + UNLOCK_LINK_LIFETIME).toISOString();
    if (patientId) {
      await sendMessage(tx, ctx, { kind: 'sign_in_closed', to: email, url: unlockUrl(ctx, token), until });
      recordLockout(ctx, patientId);
    } else await sendMessage(tx, ctx, { kind: 'sign_in_tried', to: email });
  });

/** Not awaited: the response time must not reveal whether the account exists. */
function recordLockout(ctx: Context, patientId: string): void {
  const entry = {
    action: 'patients.lock_sign_in' as const,
    object: { type: 'Patient', id: patientId },
    patients: [patientId],
  };
  recordAccess(asServiceForVisitor(ctx, 'close_sign_in'), entry).catch(() => undefined);
}

/**
 * Rejects the attempt, equally for known and unknown addresses.
 * @throws `sign_in_closed`
 */
export async function rejectLockedOut(
  ctx: Context,
  account: LockedAccount,
  notifiedAt: Date | null = null,
): Promise<never> {
  if (!isNotified(ctx, notifiedAt)) await notifyPatient(ctx, account);
  throw lockedOut();
}
