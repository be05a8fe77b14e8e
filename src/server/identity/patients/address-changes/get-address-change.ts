import type { AddressChangeLinkInput, AddressChangeView } from '#contract/address-changes.ts';
import type { Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { openPreviousAddress } from './previous-address.ts';
import { determineResetBy, needsOf } from './reset-requirement.ts';

type ChangeWithPatient = NonNullable<Awaited<ReturnType<typeof findChange>>>;

/**
 * Finds the change that a link's token may undo, with its patient.
 * @throws `forbidden`, `not_found`
 */
export async function findChange(db: Pick<Tx, 'addressChange'>, ctx: Context, token: string) {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'A change is undone from its link.');
  const change = await db.addressChange.findUnique({
    where: { tenantId_tokenHash: { tenantId: ctx.tenantId, tokenHash: sha256(token) } },
    include: { patient: { select: { archivedAt: true, email: true, phoneNumber: true, signIn: true } } },
  });
  if (!change) throw notFound('link');
  ctx.trail.patients.add(change.patientId);
  return change;
}

export function stateOf(change: ChangeWithPatient, now: Date): AddressChangeView['state'] {
  if (change.undoneAt) return 'undone';
  const { archivedAt, signIn } = change.patient;
  const isOver = change.endedAt || change.expiresAt <= now || archivedAt || !signIn;
  return isOver ? 'over' : 'valid';
}

/**
 * Describes what the undo link would do, or has done. The token is the only credential, so the result reveals only the
 * address that it went to.
 * @throws `not_found`
 */
export async function getAddressChange(ctx: Context, { token }: AddressChangeLinkInput): Promise<AddressChangeView> {
  const change = await findChange(ctx.db, ctx, token);
  const { name: clinic } = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId } });
  const now = ctx.clock.now();
  const state = stateOf(change, now);
  const previous = openPreviousAddress(ctx, change);
  const { patientId, id: undoing } = change;
  const current = state === 'undone' ? (change.patient.signIn?.resetBy ?? null) : null;
  const resetBy = state === 'valid' ? await determineResetBy(ctx.db, ctx, { patientId, undoing, now }) : current;
  return {
    clinic,
    kind: change.kind === 'email' ? 'email' : 'phone_number',
    address: maskAddress(previous.told),
    changed_at: change.createdAt.toISOString(),
    until: change.expiresAt.toISOString(),
    state,
    restored: change.restored,
    needs: resetBy === null ? null : needsOf(resetBy),
  };
}

/** Shortens an address for display: the link's owner knows it, but others may see the screen. */
export function maskAddress(address: string): string {
  const [name = '', domain] = address.split('@');
  return domain ? `${name.slice(0, 2)}…@${domain}` : `… ${address.slice(-4)}`;
}
