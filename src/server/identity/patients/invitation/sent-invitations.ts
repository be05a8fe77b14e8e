import type { PatientSignInView } from '#contract/patient-sign-in.ts';
import type { PatientSignIn, SentInvitation } from '#generated/prisma/client.ts';
import { authorOf } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { isId, newId } from '#server/core/ids.ts';

/** As many as fit on the page. */
const MAX_SHOWN = 10;

const boundTo = (tenantId: string, id: string) => `sent_invitations/${tenantId}/${id}/sent_to`;
const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];

/** `expiresAt` is null for a text message, which says that the number can sign in from now on. */
type Sent = { patientId: string; to: string; expiresAt: Date | null };

/** Records where an invitation was sent. */
export async function recordInvitation(tx: Tx, ctx: Context, { patientId, to, expiresAt }: Sent): Promise<void> {
  const { tenantId, cipher, clock } = ctx;
  const createdAt = clock.now();
  const id = newId(createdAt);
  const sentTo = cipher.seal(to, boundTo(tenantId, id));
  const sentBy = authorOf(ctx.actor).id;
  await tx.sentInvitation.create({ data: { id, tenantId, patientId, sentTo, sentBy, expiresAt, createdAt } });
}

/** Marks the newest invitation as answered, unless it has ended. */
export async function markInvitationAnswered(tx: Tx, { tenantId, clock }: Context, patientId: string): Promise<void> {
  const newest = await tx.sentInvitation.findFirst({ where: { tenantId, patientId }, orderBy: newestFirst });
  if (!newest?.sentTo || newest.answeredAt || newest.endedAt) return;
  await tx.sentInvitation.updateMany({ where: { tenantId, id: newest.id }, data: { answeredAt: clock.now() } });
}

type Invited = { id: string; archivedAt: Date | null; signIn: PatientSignIn | null };

/** Lists a patient's invitations, newest first: recipient, sender and state. */
export async function listInvitations(
  tx: Tx,
  ctx: Context,
  { id: patientId, archivedAt, signIn }: Invited,
): Promise<PatientSignInView['invitations']> {
  const { tenantId } = ctx;
  const sent = await tx.sentInvitation.findMany({
    where: { tenantId, patientId },
    orderBy: newestFirst,
    take: MAX_SHOWN,
  });
  const staff = await tx.staffUser.findMany({
    where: { tenantId, id: { in: sent.map(({ sentBy }) => sentBy).filter(isId) } },
    select: { id: true, name: true },
  });
  const names = new Map(staff.map(({ id, name }) => [id, name]));
  const pending = archivedAt ? null : signIn;
  return sent.map((invitation, index) => ({
    id: invitation.id,
    at: invitation.createdAt.toISOString(),
    by: names.get(invitation.sentBy) ?? null,
    sent_to: invitation.sentTo && ctx.cipher.open(invitation.sentTo, boundTo(tenantId, invitation.id)),
    state: invitation.sentTo && stateOf(ctx, invitation, index === 0 ? pending : null),
  }));
}

type State = NonNullable<PatientSignInView['invitations'][number]['state']>;

/** @param pending the patient's sign-in, for the newest invitation, the only one that may be open */
function stateOf(
  { clock }: Context,
  { answeredAt, endedAt, expiresAt }: SentInvitation,
  pending: PatientSignIn | null,
): State {
  if (answeredAt) return 'answered';
  if (endedAt || !pending) return 'over';
  const isOpen = expiresAt ? pending.temporaryUntil !== null && expiresAt > clock.now() : pending.confirmedAt === null;
  return isOpen ? 'open' : 'over';
}
