import { DAY, MINUTE } from '../../core/clock.ts';
import type { Context } from '../../core/context.ts';
import { sha256 } from '../../core/crypto.ts';
import type { Tx } from '../../core/db.ts';
import { newLinkToken } from '../../core/ids.ts';
import { sendMessage } from '../../messages/send-message.ts';

export type LinkPurpose = 'invitation' | 'reset';

const LIFETIME: Record<LinkPurpose, number> = { invitation: 7 * DAY, reset: 60 * MINUTE };
/** The token stands in the fragment, which no server or log sees. */
const PAGE: Record<LinkPurpose, string> = { invitation: '/join#', reset: '/reset-password#' };
const MESSAGE = { invitation: 'staff_invitation', reset: 'staff_reset' } as const;

/** Mails the one live link of that purpose; an older one is dead from now on. Only the token's hash is kept. */
export async function issueStaffLink(
  tx: Tx,
  ctx: Context,
  user: { id: string; email: string },
  purpose: LinkPurpose,
): Promise<void> {
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const token = newLinkToken(tenantId);
  const expiresAt = new Date(now.getTime() + LIFETIME[purpose]);
  const values = { tokenHash: sha256(token), expiresAt, createdAt: now };
  await tx.staffLink.upsert({
    where: { tenantId_userId_purpose: { tenantId, userId: user.id, purpose } },
    create: { tenantId, userId: user.id, purpose, ...values },
    update: values,
  });
  const url = `${ctx.config.publicUrl}${PAGE[purpose]}${token}`;
  const message = { kind: MESSAGE[purpose], staffUserId: user.id, to: user.email };
  await sendMessage(tx, ctx, { ...message, url, until: expiresAt.toISOString() });
}
