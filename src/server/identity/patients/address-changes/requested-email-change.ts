import type { AddressChangeLinkInput, RequestedEmailView } from '#contract/address-changes.ts';
import type { AskedEmailChange } from '#generated/prisma/client.ts';
import { asServiceForVisitor, type Context } from '#server/core/context.ts';
import { sha256 } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { changeEmail, rethrowUniqueViolation } from '#server/patients/index.ts';
import { lockPerson } from '../../verification/person.ts';
import { deleteCodesAndSteps } from '../../verification/steps.ts';
import { maskAddress } from './get-address-change.ts';
import { notifyEmailChange } from './notify-change.ts';
import { releaseAddress } from './release-address.ts';

const boundTo = (tenantId: string, patientId: string) => `asked_email_changes/${tenantId}/${patientId}/email`;

export const sealRequestedEmail = ({ cipher, tenantId }: Context, patientId: string, email: string) =>
  cipher.seal(email, boundTo(tenantId, patientId));

export const openRequestedEmail = (
  { cipher, tenantId }: Pick<Context, 'cipher' | 'tenantId'>,
  { patientId, email }: Pick<AskedEmailChange, 'patientId' | 'email'>,
): string => cipher.open(email, boundTo(tenantId, patientId));

type RequestWithPatient = Awaited<ReturnType<typeof findRequest>>;

async function findRequest(db: Pick<Tx, 'askedEmailChange'>, ctx: Context, token: string) {
  if (ctx.actor.kind !== 'visitor')
    throw apiError('forbidden', 'An address is confirmed from the link that went there.');
  const request = await db.askedEmailChange.findUnique({
    where: { tenantId_tokenHash: { tenantId: ctx.tenantId, tokenHash: sha256(token) } },
    include: { patient: { select: { archivedAt: true, careEndingAt: true, canSignIn: true } } },
  });
  if (!request) throw notFound('link');
  ctx.trail.patients.add(request.patientId);
  return request;
}

function stateOf(ctx: Context, { confirmedAt, expiresAt, patient }: RequestWithPatient): RequestedEmailView['state'] {
  if (confirmedAt) return 'confirmed';
  const isOver = expiresAt <= ctx.clock.now() || patient.archivedAt || patient.careEndingAt || !patient.canSignIn;
  return isOver ? 'over' : 'valid';
}

/**
 * Describes the change that a link confirms. The token is the only credential, so the result reveals only the address
 * that it went to.
 * @throws `not_found`
 */
export async function getRequestedEmailChange(
  ctx: Context,
  { token }: AddressChangeLinkInput,
): Promise<RequestedEmailView> {
  const request = await findRequest(ctx.db, ctx, token);
  const { name: clinic } = await ctx.db.tenant.findUniqueOrThrow({ where: { id: ctx.tenantId } });
  return {
    clinic,
    address: maskAddress(openRequestedEmail(ctx, request)),
    until: request.expiresAt.toISOString(),
    state: stateOf(ctx, request),
  };
}

/**
 * Puts the new address into effect, as if the patient had verified it; the old address is notified and may undo it. A
 * repeated call changes nothing and returns the same. The request ends if another patient has taken the address.
 * @throws `not_found`
 */
export async function confirmRequestedEmailChange(
  visitor: Context,
  { token }: AddressChangeLinkInput,
): Promise<RequestedEmailView> {
  const { tenantId } = visitor;
  const { patientId } = await findRequest(visitor.db, visitor, token);
  const ctx = asServiceForVisitor(visitor, 'confirm_email_change');
  const change = visitor.db.$transaction(async (tx) => {
    await lockPerson(tx, `${tenantId}:${patientId}`);
    const request = await findRequest(tx, visitor, token);
    if (stateOf(visitor, request) !== 'valid') return;
    const email = openRequestedEmail(visitor, request);
    await lockPerson(tx, `${tenantId}:${email}`);
    const now = ctx.clock.now();
    const where = { tenantId_patientId: { tenantId, patientId } };
    if (!(await releaseAddress(tx, ctx, { patientId, email }))) {
      await tx.askedEmailChange.update({ where, data: { expiresAt: now } });
      return;
    }
    await tx.askedEmailChange.update({ where, data: { confirmedAt: now } });
    const details = { by: 'staff', identity_check: request.helpId };
    const action = 'patients.change_email';
    const before = await changeEmail(tx, ctx, patientId, { email, verified: true, action, details });
    await deleteCodesAndSteps(tx, ctx, patientId);
    await notifyEmailChange(tx, ctx, { patientId, by: 'staff' }, { before, after: email });
  });
  await change.catch(rethrowUniqueViolation);
  return getRequestedEmailChange(visitor, { token });
}
