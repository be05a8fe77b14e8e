import type { Appointment } from './api-types.ts';
import { callApi } from './call-api.ts';

/**
 * Returns the upcoming appointments, the next one first. Each has its own video
 * link.
 */
export async function listVisits(patientId: string): Promise<Appointment[]> {
  const query = new URLSearchParams({
    patient_id: patientId,
    scheduled_after: new Date().toISOString(),
  });
  const visits = await callApi<Appointment[]>('GET', `/appointments?${query}`);
  return visits.sort((a, b) => Date.parse(a.from_date) - Date.parse(b.from_date));
}

export const readVisit = (id: string): Promise<Appointment> =>
  callApi('GET', `/appointments/${id}`);
