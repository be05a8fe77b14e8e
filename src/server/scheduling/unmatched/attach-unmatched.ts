import { CreatePatientInput } from '#contract/patients.ts';
import type { AppointmentView } from '#contract/scheduling.ts';
import type { AttachUnmatchedInput, UnmatchedIdInput } from '#contract/unmatched.ts';
import type { Appointment, UnmatchedAppointment } from '#generated/prisma/client.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError, notFound } from '#server/core/errors.ts';
import { newId, newLinkToken } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';
import { videoUrl } from '#server/core/video-url.ts';
import {
  insertPatient,
  loadPatientFor,
  lockInCare,
  parsePhoneNumber,
  planNewPatient,
  rethrowUniqueViolation,
  tenantToday,
} from '#server/patients/index.ts';
import { lockUnmatched } from '#server/scheduling/unmatched/unmatched.ts';
import { holdClaims, presentAppointment, recordChange } from '../appointments/appointment.ts';

/**
 * Attaches an unmatched booking made at the provider to a patient: it becomes their appointment under the same id, and
 * the stored personal data of the booking is deleted. Idempotent for the same patient.
 *
 * @throws 409 `conflict` when it was attached to another patient or canceled; 422 `patient_archived`; 404.
 */
export async function attachUnmatched(ctx: Context, input: AttachUnmatchedInput): Promise<AppointmentView> {
  requireAdmin(ctx.actor, 'unmatched:write');
  const patient = await loadPatientFor(ctx, input.patient_id);
  return attach(ctx, input.id, { patientOf: async () => patient.id, expectedPatientId: patient.id });
}

/**
 * Creates a patient, who cannot sign in yet, from the person that the booking names, and attaches the booking.
 * Idempotent.
 *
 * @throws 409 `conflict` when it was attached to an existing patient; 409 `email_taken` when a patient has the address
 * already: attach it to that patient instead.
 */
export async function createPatientOfUnmatched(ctx: Context, { id }: UnmatchedIdInput): Promise<AppointmentView> {
  requireAdmin(ctx.actor, 'unmatched:write');
  const now = ctx.clock.now();
  // Patient and appointment get the same `createdAt`, by which a repeated request recognizes that the patient was
  // created from the booking.
  const fixedCtx = { ...ctx, clock: { now: () => now } };
  return attach(fixedCtx, id, {
    patientOf: (tx, row) => createPatient(tx, fixedCtx, row),
    expectedPatientId: null,
  }).catch(rethrowUniqueViolation);
}

type AttachTarget = {
  patientOf(tx: Tx, row: UnmatchedAppointment): Promise<string>;
  /** Null: a patient that is created from the booking. */
  expectedPatientId: string | null;
};

async function attach(
  ctx: Context,
  id: string,
  { patientOf, expectedPatientId }: AttachTarget,
): Promise<AppointmentView> {
  const { tenantId } = ctx;
  return ctx.db.$transaction(async (tx) => {
    const row = await lockUnmatched(tx, tenantId, id);
    const attached = row ? null : await tx.appointment.findFirst({ where: { tenantId, id } });
    if (
      attached &&
      (expectedPatientId === null ? await isCreatedFrom(tx, attached) : attached.patientId === expectedPatientId)
    )
      return presentAppointment(ctx, attached);
    if (attached) throw apiError('conflict', 'This appointment is another patient’s already.');
    if (!row) throw notFound('unmatched appointment');
    if (row.status !== 'scheduled')
      throw apiError('conflict', 'This appointment has been canceled where it was booked.');
    const patientId = await patientOf(tx, row);
    await lockInCare(tx, ctx, patientId);
    const appointment = await convertToAppointment(tx, ctx, row, patientId);
    // A job then sends the location to the provider, after the transaction.
    const { providerAppointmentId, accountId } = row;
    await enqueue(tx, 'refresh_appointment', { tenantId, accountId, providerAppointmentId });
    return presentAppointment(ctx, appointment);
  });
}

const isCreatedFrom = async (tx: Tx, { tenantId, patientId: id, createdAt }: Appointment): Promise<boolean> =>
  (await tx.patient.count({ where: { tenantId, id, createdAt } })) === 1;

/** Deletes the booking with its claim; the appointment takes over the claim in the same transaction. */
async function convertToAppointment(
  tx: Tx,
  ctx: Context,
  row: UnmatchedAppointment,
  patientId: string,
): Promise<Appointment> {
  const now = ctx.clock.now();
  const { firstName, lastName, email, phoneNumber, ignoredAt, version, location, ...shared } = row;
  const videoToken = newLinkToken(ctx.tenantId);
  await tx.unmatchedAppointment.deleteMany({ where: { tenantId: ctx.tenantId, id: row.id } });
  const appointment = await tx.appointment.create({
    data: {
      ...shared,
      patientId,
      videoToken,
      location: location ?? videoUrl(ctx, videoToken),
      createdAt: now,
      updatedAt: now,
    },
  });
  await holdClaims(tx, ctx, appointment);
  await recordChange(tx, ctx, appointment, 'scheduled');
  return appointment;
}

/** Values that are not a valid name, email address or phone number are left out. */
async function createPatient(tx: Tx, ctx: Context, row: UnmatchedAppointment): Promise<string> {
  const fields = { first_name: row.firstName, last_name: row.lastName, email: row.email };
  const isValid = (field: keyof typeof fields) =>
    Boolean(fields[field]) && CreatePatientInput.safeParse({ [field]: fields[field] }).success;
  const valid = (['first_name', 'last_name', 'email'] as const).filter(isValid);
  const phone = row.phoneNumber === null ? null : parsePhoneNumber(row.phoneNumber);
  const input = CreatePatientInput.parse({
    ...Object.fromEntries(valid.map((field) => [field, fields[field]])),
    ...(phone && { phone_number: phone }),
  });
  const plan = planNewPatient(input, await tenantToday({ ...ctx, db: tx }));
  const id = newId(ctx.clock.now());
  await insertPatient(tx, ctx, { id, plan, action: 'patients.create', event: 'patient.created' });
  return id;
}
