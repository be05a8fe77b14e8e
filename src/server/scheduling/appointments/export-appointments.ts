import type { AppointmentView, ExportAppointmentsInput } from '#contract/scheduling.ts';
import type { Context } from '#server/core/context.ts';
import type { CsvColumn } from '#server/core/csv.ts';
import { exportPatientRecords, type NamedPatient, PATIENT_COLUMNS } from '#server/core/export-patient-records.ts';
import { beyondInstant } from '#server/core/paging.ts';
import { readKnownAccount } from '../catalogue/catalogue.ts';
import { presentAppointment } from './appointment.ts';
import { appointmentFilter } from './list-appointments.ts';

type Line = AppointmentView & NamedPatient;

/** Excludes texts written by staff users and patients, because files are shared more widely than the page. */
const COLUMNS: CsvColumn<Line>[] = [
  ['appointment_id', ({ id }) => id],
  ['from', ({ from_date }) => from_date],
  ['to', ({ to_date }) => to_date],
  ['time_zone', ({ time_zone }) => time_zone],
  ['minutes', ({ duration_minutes }) => String(duration_minutes)],
  ['visit', ({ appointment_type }) => appointment_type],
  ['with', ({ calendar }) => calendar],
  ['status', ({ status }) => status],
  ['patient_id', ({ patient_id }) => patient_id],
  ['patient', ({ patient }) => patient.name],
  ['email', ({ patient }) => patient.email],
  ['phone', ({ patient }) => patient.phone],
  ['checked_in_at', ({ checked_in_at }) => checked_in_at],
  ['completed_at', ({ completed_at }) => completed_at],
  ['canceled_at', ({ canceled_at }) => canceled_at],
  ['created_at', ({ created_at }) => created_at],
];

/** Exports the appointments that match a filter as CSV, soonest first. Staff users only. */
export async function exportAppointments(ctx: Context, input: ExportAppointmentsInput): Promise<AsyncIterable<string>> {
  return exportPatientRecords(ctx, input, {
    about: { action: 'appointments.export', object: { type: 'Appointment', id: '*' } },
    counted: 'appointments',
    columns: COLUMNS,
    reader: async () => {
      const where = await appointmentFilter(ctx, input, await readKnownAccount(ctx));
      return (last, take) =>
        ctx.db.appointment.findMany({
          where: last ? { AND: [where, beyondInstant('startAt', last, true)] } : where,
          orderBy: [{ startAt: 'asc' }, { id: 'asc' }],
          take,
          include: { patient: PATIENT_COLUMNS },
        });
    },
    placeOf: ({ startAt: at, id }) => ({ at, id }),
    lineOf: (row) => presentAppointment(ctx, row),
  });
}
