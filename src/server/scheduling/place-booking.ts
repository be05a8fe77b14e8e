import type { Appointment, Patient } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { OUTCOME_UNKNOWN, refuse } from '#server/core/errors.ts';
import { stamp, toMinute } from '#server/core/zone.ts';
import { getAcuityAccount } from '#server/integrations/get-acuity-account.ts';
import { type AcuityAppointment, AcuityError } from '#server/providers/acuity.ts';
import { type PendingChange, SHOWN } from './appointment-row.ts';
import { spoilDays } from './availability-days.ts';
import type { BookableType, Catalogue } from './catalogue.ts';
import { convergeAppointment } from './converge-appointment.ts';
import { findAtAcuity } from './find-at-acuity.ts';
import { reflectRemote } from './reflect-remote.ts';
import { slotNotOffered } from './slot-refusals.ts';

const TAKEN = ['not_available', 'no_available_calendar'];
const OUT_OF_BOUNDS = ['not_available_min_hours_in_advance', 'not_available_max_days_in_advance'];
const FORM_FAULTS = ['invalid_fields', 'required_field'];

export type Placing = { catalogue: Catalogue; type: BookableType; fieldId: number; patient: Patient };

/**
 * Puts a pending booking to Acuity. Null when Acuity has given the time to somebody else: the claim is released. When
 * Acuity does not say what it did, it is looked up at once; if that does not help either, the booking stays pending with
 * its claim and the caller is told (504 or what else befell Acuity) that a retry is safe.
 *
 * A booking may be put to Acuity twice with the same link, calendar and time: Acuity gives a time once, so the second
 * call finds the first one's booking instead of making another.
 */
export async function placeBooking(ctx: Context, row: Appointment, placing: Placing): Promise<Appointment | null> {
  const { acuity } = await getAcuityAccount(ctx);
  const wish = wishOf(row, placing);
  let remote: AcuityAppointment;
  try {
    remote = await acuity.book(wish);
  } catch (error) {
    if (!(error instanceof AcuityError)) throw error;
    const wasTried = row.version > 0;
    const isUnsure = error.effect === 'unknown' || (wasTried && TAKEN.includes(error.refusal ?? ''));
    const found = isUnsure ? await lookUp(ctx, acuity, row) : null;
    if (!found && error.effect === 'unknown') return keepPending(ctx, row, error);
    if (!found) return release(ctx, row, placing, error);
    remote = found;
  }
  const { calendars } = placing.catalogue;
  return (await reflectRemote(ctx, row, remote, calendars)) ?? convergeAppointment(ctx, acuity, remote.id);
}

/** Acuity wants two names and an address; `.invalid` can never receive mail (RFC 2606), and none is sent. */
function wishOf(row: Appointment, { type, fieldId, patient }: Placing) {
  return {
    startAt: stamp(toMinute(row.startAt), row.timeZone),
    typeId: type.id,
    calendarId: row.calendarId,
    firstName: patient.firstName?.trim() || 'Patient',
    lastName: patient.lastName?.trim() || patient.id.slice(-6).toUpperCase(),
    email: patient.email ?? `patient-${patient.id}@example.invalid`,
    phone: patient.phoneNumber,
    timeZone: patient.timeZone ?? row.timeZone,
    answers: [{ id: fieldId, value: row.location ?? '' }],
    quiet: patient.email === null,
  };
}

async function lookUp(ctx: Context, acuity: Parameters<typeof findAtAcuity>[1], row: Appointment) {
  try {
    return await findAtAcuity(ctx, acuity, row);
  } catch (error) {
    if (!(error instanceof AcuityError)) throw error;
    return null;
  }
}

async function keepPending(ctx: Context, row: Appointment, error: AcuityError): Promise<Appointment> {
  const { count } = await ctx.db.appointment.updateMany({
    where: { tenantId: ctx.tenantId, id: row.id, version: row.version },
    data: {
      pendingChange: { kind: 'book', unknown: true } satisfies PendingChange,
      version: { increment: 1 },
      updatedAt: ctx.clock.now(),
    },
  });
  if (count === 0) {
    // Acuity's webhook was faster than its answer.
    const now = await ctx.db.appointment.findFirst({ where: { tenantId: ctx.tenantId, id: row.id } });
    if (now && SHOWN.includes(now.status)) return now;
  }
  throw refuse(
    error.code,
    'Acuity did not say whether it booked this time, which stays held until that is known, within about two minutes. Send the same request with the same Idempotency-Key again to learn the outcome: it cannot book twice.',
    {
      people: 'We are checking with Acuity whether the visit is booked. The time is held meanwhile.',
      meta: OUTCOME_UNKNOWN,
    },
  );
}

/** Nothing happened at Acuity: as if never begun. */
async function release(ctx: Context, row: Appointment, { type }: Placing, error: AcuityError): Promise<null> {
  await ctx.db.appointment.deleteMany({ where: { tenantId: ctx.tenantId, id: row.id, status: 'pending' } });
  const refusal = error.refusal ?? '';
  if ([...TAKEN, ...OUT_OF_BOUNDS].includes(refusal))
    await spoilDays(ctx, [{ calendarId: row.calendarId, at: toMinute(row.startAt), timeZone: row.timeZone }]);
  if (TAKEN.includes(refusal)) return null;
  if (OUT_OF_BOUNDS.includes(refusal)) throw slotNotOffered();
  if (!FORM_FAULTS.includes(refusal)) throw error;
  throw refuse(
    'integration_misconfigured',
    `Acuity refuses the intake forms of "${type.name}" (${refusal}): its "Location" form must be attached and internal, and no form shown to clients may have a required question. An administrator must put this right in Acuity.`,
    {
      people: `Acuity does not take bookings of “${type.name}” as it is set up. An administrator finds what to do under Integrations.`,
      meta: { appointment_type_id: type.id },
    },
  );
}
