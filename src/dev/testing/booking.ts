import { listAvailability } from '#server/scheduling/availability/list-availability.ts';
import { asApplication } from './actors.ts';
import { dayAhead, makePatient, startScheduling, VISIT } from './scheduling.ts';

export type Booking = Awaited<ReturnType<typeof startBooking>>;

/**
 * Starts a clinic with Acuity where an application books for a patient, on days that no other test of the suite uses.
 */
export async function startBooking(env: Record<string, string> = {}, patient: Parameters<typeof makePatient>[1] = {}) {
  const clinic = await startScheduling(env);
  const patientId = (await makePatient(clinic, patient)).id;
  const app = () => asApplication(clinic.services, clinic.tenant);
  let day = 2;
  return {
    ...clinic,
    patientId,
    app,
    nextDay(): string {
      day += 1;
      return dayAhead(day);
    },
    free: async (onDay: string, calendar_id?: number, appointment_type_id = VISIT) =>
      (await listAvailability(app(), { appointment_type_id, from_date: onDay, to_date: onDay, calendar_id })).items,
    wish: (from_date: string, more: object = {}) => ({
      patient_id: patientId,
      appointment_type_id: VISIT,
      from_date,
      ...more,
    }),
  };
}
