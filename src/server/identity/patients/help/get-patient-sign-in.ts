import type { PatientSessionsInput, PatientSessionView, PatientSignInView } from '#contract/patient-sign-in.ts';
import type { PatientSession } from '#generated/prisma/client.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { isId } from '#server/core/ids.ts';
import { loadPatientFor } from '#server/patients/index.ts';
import { openRequestedEmail } from '../address-changes/requested-email-change.ts';
import { needsOf } from '../address-changes/reset-requirement.ts';
import { listInvitations } from '../invitation/sent-invitations.ts';
import { openCheck } from './identity-check.ts';

const EARLIER_SHOWN = 10;
const HELPS_SHOWN = 3;

/** Describes how a patient signs in, with the current sessions and the last earlier ones. */
export async function getPatientSignIn(ctx: Context, { patient_id }: PatientSessionsInput): Promise<PatientSignInView> {
  requireStaff(ctx.actor, 'patients:read');
  return ctx.db.$transaction(async (tx) => {
    const patient = await loadPatientFor(ctx, patient_id, tx);
    const { id, email, emailVerified, phoneNumber, phoneNumberVerified } = patient;
    const now = ctx.clock.now();
    const own = { tenantId: ctx.tenantId, patientId: id };
    const live = { endedAt: null, expiresAt: { gt: now } };
    const signIn = await tx.patientSignIn.findUnique({ where: { tenantId_patientId: own } });
    const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];
    const sessions = await tx.patientSession.findMany({ where: { ...own, ...live }, orderBy: newestFirst });
    const earlier = await tx.patientSession.findMany({
      where: { ...own, NOT: live },
      orderBy: newestFirst,
      take: EARLIER_SHOWN,
    });
    const request = await tx.askedEmailChange.findUnique({ where: { tenantId_patientId: own } });
    const openRequest = request && !request.confirmedAt && request.expiresAt > now ? request : null;
    const helps = await readHelps(tx, ctx, id);
    const invitations = await listInvitations(tx, ctx, { ...patient, signIn });
    return {
      ways: [
        ...(signIn?.phoneNumber ? (['text_message'] as const) : []),
        ...(signIn?.srpIdentity ? [signIn.temporaryUntil ? ('invitation' as const) : ('password' as const)] : []),
      ],
      // A new number set by staff has not been verified yet.
      confirmed: Boolean(signIn?.confirmedAt) && (signIn?.phoneNumber !== phoneNumber || phoneNumberVerified),
      phone_number: signIn?.phoneNumber ?? null,
      phone_number_verified: phoneNumberVerified,
      email,
      email_verified: emailVerified,
      locked: signIn?.resetRequiredAt
        ? { since: signIn.resetRequiredAt.toISOString(), needs: needsOf(signIn.resetBy ?? 'staff') }
        : null,
      asked_email: openRequest && {
        email: openRequestedEmail(ctx, openRequest),
        until: openRequest.expiresAt.toISOString(),
      },
      invitations,
      helps,
      sessions: sessions.map((session) => presentSession(session, now)),
      earlier: earlier.map((session) => presentSession(session, now)),
    };
  });
}

async function readHelps(tx: Tx, ctx: Context, patientId: string): Promise<PatientSignInView['helps']> {
  const { tenantId } = ctx;
  const helps = await tx.signInHelp.findMany({
    where: { tenantId, patientId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: HELPS_SHOWN,
  });
  const authors = helps.map((help) => help.staffUserId);
  const names = await namesOf(tx, ctx, authors);
  return helps.map((help) => ({
    id: help.id,
    at: help.createdAt.toISOString(),
    by: names.get(help.staffUserId) ?? null,
    way: help.way === 'email' ? 'email' : 'phone',
    identity_check: openCheck(ctx, help),
  }));
}

/** Names of staff users, including former ones; applications have none. */
async function namesOf(tx: Tx, { tenantId }: Context, ids: string[]): Promise<Map<string, string>> {
  const staff = await tx.staffUser.findMany({
    where: { tenantId, id: { in: ids.filter(isId) } },
    select: { id: true, name: true },
  });
  return new Map(staff.map(({ id, name }) => [id, name]));
}

export function presentSession(session: PatientSession, now: Date): PatientSessionView {
  const ended = session.endedAt ?? (session.expiresAt <= now ? session.expiresAt : null);
  return {
    id: session.id,
    device: session.userAgent,
    network: session.network,
    started_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    ended_at: ended?.toISOString() ?? null,
    end_reason: session.endedAt ? (session.endReason as PatientSessionView['end_reason']) : ended && 'expired',
  };
}
