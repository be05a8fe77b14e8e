import { listAvailability } from '#server/scheduling/availability/list-availability.ts';
import { asApplication } from './actors.ts';
import type { Clinic } from './clinic.ts';
import { dayAhead, FOLLOW_UP, makePatient } from './scheduling.ts';

export type Booking = Awaited<ReturnType<typeof withBooking>>;

/** Adds a patient that an application books for, on days that no other test of the suite uses. */
export async function withBooking<TestClinic extends Clinic<'acuity'>>(
  clinic: TestClinic,
  patient: Parameters<typeof makePatient>[1] = {},
) {
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
    free: async (onDay: string, calendar_id?: number, appointment_type_id = FOLLOW_UP) =>
      (await listAvailability(app(), { appointment_type_id, from_date: onDay, to_date: onDay, calendar_id })).items,
    wish: (from_date: string, more: object = {}) => ({
      patient_id: patientId,
      appointment_type_id: FOLLOW_UP,
      from_date,
      ...more,
    }),
  };
}
