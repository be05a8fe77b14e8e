import { HOUR } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import type { RequestedBy } from '#server/messages/index.ts';
import { sendMessage } from '#server/messages/index.ts';
import type { EmailBefore, PhoneBefore } from '#server/patients/index.ts';
import { type ChangeAuthor, confirmedBy } from '../user/authorize.ts';
import { type PreviousAddress, sealPreviousAddress } from './previous-address.ts';

/**
 * Author of the change: the patient, an application acting for the patient, or staff, confirmed from the new address.
 */
type Author = ChangeAuthor | { patientId: string; by: 'staff' };

/** How long a change can be undone. */
export const UNDO_LIFETIME = 72 * HOUR;

/**
 * Notifies the old address of a change. An address that was verified, or that the patient signs in with, gets an undo
 * link, unless it confirmed the change itself. A mere contact gets none: any holder of a token could have written it
 * into the record.
 */
export async function notifyEmailChange(
  tx: Tx,
  ctx: Context,
  author: Author,
  { before, after, request }: { before: EmailBefore; after: string; request?: RequestedBy },
): Promise<void> {
  const { email, verified } = before;
  if (!email || email === after) return;
  const signIn = await signInOf(tx, ctx, author);
  const link =
    verified || signIn?.srpIdentity
      ? await createUndoLink(tx, ctx, author, { kind: 'email', told: email, salt: signIn?.salt ?? null })
      : {};
  await sendMessage(tx, ctx, {
    kind: 'email_changed',
    to: email,
    patientId: author.patientId,
    ...(request && { asked: request }),
    ...link,
  });
}

/**
 * Notifies the old number of a change, with the same rules.
 * @param signIn the number that sign-in codes went to until now
 */
export async function notifyPhoneChange(
  tx: Tx,
  ctx: Context,
  author: ChangeAuthor,
  { before, signIn: number, after }: { before: PhoneBefore; signIn: string | null; after: string },
): Promise<void> {
  const recipient = number ?? (before.verified ? before.number : null);
  if (!recipient || recipient === after) return;
  const signIn = await signInOf(tx, ctx, author);
  const link = await createUndoLink(tx, ctx, author, {
    kind: 'phone',
    told: recipient,
    salt: signIn?.salt ?? null,
    signIn: number,
    primary: before.number,
    verified: before.verified,
    added: before.wasKnown ? null : after,
  });
  await sendMessage(tx, ctx, { kind: 'phone_changed', to: recipient, patientId: author.patientId, ...link });
}

const signInOf = (tx: Tx, { tenantId }: Context, { patientId }: Author) =>
  tx.patientSignIn.findUnique({
    where: { tenantId_patientId: { tenantId, patientId } },
    select: { srpIdentity: true, salt: true },
  });

async function createUndoLink(
  tx: Tx,
  ctx: Context,
  author: Author,
  previous: PreviousAddress,
): Promise<{ url: string; until: string } | object> {
  if (author.by === 'impersonation') return {};
  if (author.by !== 'staff' && confirmedBy(ctx, author, previous.told)) return {};
  const { tenantId } = ctx;
  const now = ctx.clock.now();
  const id = newId(now);
  const token = newLinkToken(tenantId);
  const expiresAt = new Date(now.getTime() + UNDO_LIFETIME);
  await tx.addressChange.create({
    data: {
      id,
      tenantId,
      patientId: author.patientId,
      kind: previous.kind,
      tokenHash: sha256(token),
      kept: sealPreviousAddress(ctx, id, previous),
      expiresAt,
      createdAt: now,
    },
  });
  // The token is in the fragment, which no server or log sees.
  return { url: `${ctx.config.publicUrl}/undo#${token}`, until: expiresAt.toISOString() };
}
