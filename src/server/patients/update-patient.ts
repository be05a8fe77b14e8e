import { isDeepStrictEqual } from 'node:util';
import type { PatientView, UpdatePatientInput } from '#contract/patients.ts';
import type { Patient } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { keyedHash } from '#server/core/crypto.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { lockPerson } from '#server/core/lock-person.ts';
import { record } from '#server/core/record.ts';
import { endPendingSignIns } from './end-access.ts';
import { planAddresses, planPhones, writeNestedRows } from './nested-rows.ts';
import { assertNotArchived, lockPatient, queueCustomerUpdate, rethrowUniqueViolation, tenantToday } from './patient.ts';
import { getPatientView } from './patient-view.ts';
import { assertValidPatient, patientColumns } from './plan-patient.ts';
import { searchText } from './search-text.ts';

/**
 * Updates the given fields; `metadata`, `races`, `ethnicities` and `tag_list` are replaced as a whole. A new primary
 * number must be verified again, and so must a new email address, which can be set only for a patient without a
 * sign-in.
 */
export async function updatePatient(ctx: Context, { id, ...input }: UpdatePatientInput): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:write');
  // A conflict would reveal to a patient which external ids exist.
  if (ctx.actor.kind === 'patient' && input.external_id !== undefined)
    throw apiError('forbidden', 'external_id is set by your clinic.', { source: { pointer: '/external_id' } });
  const today = await tenantToday(ctx);
  return ctx.db.$transaction((tx) => writeUpdate(tx, ctx, { id, ...input }, today)).catch(rethrowUniqueViolation);
}

/**
 * Updates a patient in the caller's transaction, which has authorised it; `today` is the tenant's date. `storedBirthDate`
 * was valid when it was stored with another record.
 */
export async function writeUpdate(
  tx: Tx,
  ctx: Context,
  { id, ...input }: UpdatePatientInput,
  today: string,
  storedBirthDate: string | null = null,
): Promise<PatientView> {
  await lockEmail(tx, ctx, id, input.email);
  if (input.email || input.external_id) await lockWithMerged(tx, ctx, id);
  const patient = await lockPatient(ctx, tx, id);
  assertNotArchived(patient);
  const before = await getPatientView(tx, ctx, id, today);
  const phones = planPhones(before.phones, input);
  const addresses = planAddresses(before.addresses, input);
  const isStored = [before.birth_date, storedBirthDate].includes(input.birth_date ?? null);
  const newBirthDate = isStored ? null : input.birth_date;
  assertValidPatient(newBirthDate, today, [...phones.faults, ...addresses.faults]);

  const email = await planEmail(tx, ctx, patient, input.email);
  const columns = { ...patientColumns(input), ...email.columns };
  const definedColumns = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
  const phoneNumbers = phones.rows.map((row) => row.number);
  const phoneNumber = phones.rows.find((row) => row.primary)?.number ?? null;
  await writeNestedRows(tx, ctx, id, phones, addresses);
  await takeFromMerged(tx, ctx, id, columns);
  await tx.patient.update({
    where: { tenantId_id: { tenantId: ctx.tenantId, id } },
    data: {
      ...columns,
      phoneNumber,
      phoneNumberVerified: patient.phoneNumberVerified && phoneNumber === patient.phoneNumber,
      searchText: searchText({ ...patient, ...definedColumns, phoneNumbers }),
      updatedAt: ctx.clock.now(),
    },
  });
  await queueCustomerUpdate(tx, ctx, id);
  const view = await getPatientView(tx, ctx, id, today);
  const changed = changedFields(before, view);
  await record(tx, ctx, {
    action: 'patients.update',
    object: { type: 'Patient', id },
    patientId: id,
    details: { changed, ...email.details },
    ...(changed.length > 0 && { event: 'patient.updated', payload: view }),
  });
  return view;
}

/** Locks the patient and the records that were merged into theirs, in the order that a merge locks them. */
const lockWithMerged = (tx: Tx, { tenantId }: Context, id: string) => tx.$queryRaw`
  select 1 from patients where tenant_id = ${tenantId}::uuid and (id = ${id}::uuid or merged_into = ${id}::uuid)
  order by id for update`;

type Unique = { email?: string | null | undefined; externalId?: string | null | undefined };

/** Records that were merged into the patient's hold their email and external id for the patient. */
async function takeFromMerged(tx: Tx, ctx: Context, id: string, { email, externalId }: Unique): Promise<void> {
  const { tenantId, clock } = ctx;
  const merged = { tenantId, mergedInto: id };
  const change = async (where: Unique, data: Unique & { emailVerified?: false }, changed: keyof PatientView) => {
    const [holder] = await tx.patient.updateManyAndReturn({
      where: { ...merged, ...where } as Prisma.PatientWhereInput,
      data: { ...data, updatedAt: clock.now() },
      select: { id: true },
    });
    if (!holder) return;
    await record(tx, ctx, {
      action: 'patients.update',
      object: { type: 'Patient', id: holder.id },
      patientId: holder.id,
      details: { changed: [changed] },
      event: 'patient.updated',
      payload: await getPatientView(tx, ctx, holder.id),
    });
  };
  if (email) await change({ email }, { email: null, emailVerified: false }, 'email');
  if (externalId) await change({ externalId }, { externalId: null }, 'external_id');
}

const changedFields = (before: PatientView, after: PatientView): string[] =>
  (Object.keys(after) as (keyof PatientView)[]).filter(
    (field) => field !== 'updated_at' && !isDeepStrictEqual(before[field], after[field]),
  );

type EmailInput = UpdatePatientInput['email'];
type EmailColumns = { email?: string | null; emailVerified?: false; status?: string };
/** `details` are for the audit log: they contain only a hash of the previous address, for comparison. */
type EmailPlan = { columns: EmailColumns; details: Record<string, unknown> };

/**
 * Waits for concurrent sign-ins and invitations with the address or for the patient. Taken before the patient's row
 * lock, in the same order as they do.
 */
async function lockEmail(tx: Tx, { tenantId }: Context, patientId: string, email: EmailInput): Promise<void> {
  if (email === undefined) return;
  await lockPerson(tx, `${tenantId}:${patientId}`);
  if (email) await lockPerson(tx, `${tenantId}:${email}`);
  await tx.$queryRaw`
    select 1 from patient_sign_ins where tenant_id = ${tenantId}::uuid and patient_id = ${patientId}::uuid for update`;
}

/**
 * Plans a new or removed email address for a patient without a sign-in. Ends what used the previous one: an invitation
 * sent there, or an unconfirmed sign-up.
 *
 * @throws forbidden, conflict.
 */
async function planEmail(tx: Tx, ctx: Context, patient: Patient, email: EmailInput): Promise<EmailPlan> {
  if (email === undefined) return { columns: {}, details: {} };
  const source = { source: { pointer: '/email' } };
  if (ctx.actor.kind === 'patient')
    throw apiError('forbidden', 'A patient changes the email address by confirming the new one.', source);
  if (email === patient.email) return { columns: {}, details: {} };
  if (patient.canSignIn)
    throw apiError(
      'conflict',
      'This patient signs in: a new email address counts once they have confirmed it. They change it in the app, or staff begin it on the patient’s page.',
      source,
    );
  const ended = await endInvitation(tx, ctx, patient.id);
  return {
    columns: {
      email,
      emailVerified: false,
      // The status `invited` ends when the invitation opened no other sign-in method.
      ...(ended === 'all' && patient.status === 'invited' && { status: 'active' }),
    },
    details: {
      ...(patient.email && { email_before: hashEmail(ctx, patient.email) }),
      ...(ended && { ended_invitation: true }),
    },
  };
}

/** @returns `all` when no sign-in method is left, `part` when a phone number is, null when there was nothing to end */
async function endInvitation(tx: Tx, ctx: Context, patientId: string): Promise<'all' | 'part' | null> {
  const own = { tenantId: ctx.tenantId, patientId };
  const signIn = await tx.patientSignIn.findUnique({ where: { tenantId_patientId: own } });
  if (!signIn?.srpIdentity) return null;
  await endPendingSignIns(tx, ctx, patientId);
  // Kept without the patient, so that the client that signed up does not learn of it.
  await tx.signUpAttempt.updateMany({ where: own, data: { patientId: null } });
  const open = { ...own, answeredAt: null, endedAt: null, expiresAt: { not: null } };
  await tx.sentInvitation.updateMany({ where: open, data: { endedAt: ctx.clock.now() } });
  if (!signIn.phoneNumber) {
    await tx.patientSignIn.delete({ where: { tenantId_patientId: own } });
    return 'all';
  }
  const none = { srpIdentity: null, salt: null, verifier: null, kdf: Prisma.DbNull };
  await tx.patientSignIn.update({
    where: { tenantId_patientId: own },
    data: { ...none, temporaryUntil: null, invitation: null },
  });
  return 'part';
}

const hashEmail = (ctx: Context, email: string): string =>
  keyedHash(ctx, 'patients/email', ctx.tenantId, email).toString('base64url');
