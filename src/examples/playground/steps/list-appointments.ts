import type { Appointment } from './api-types.ts';
import { callApi } from './call-api.ts';

/**
 * Returns the upcoming appointments, the next one first. Each has its own video
 * link.
 */
export async function listAppointments(patientId: string): Promise<Appointment[]> {
  const query = new URLSearchParams({
    patient_id: patientId,
    scheduled_after: new Date().toISOString(),
  });
  const appointments = await callApi<Appointment[]>(
    'GET',
    `/appointments?${query}`,
  );
  return appointments.sort(
    (a, b) => Date.parse(a.from_date) - Date.parse(b.from_date),
  );
}

export const getAppointment = (id: string): Promise<Appointment> =>
  callApi('GET', `/appointments/${id}`);
