import type { Patient } from './api-types.ts';
import { callApi } from './call-api.ts';

export const loadProfile = (): Promise<Patient> => callApi('GET', '/patients/me');

type Changes = Partial<Pick<Patient, 'first_name' | 'last_name' | 'birth_date'>>;

export const saveProfile = (
  patientId: string,
  changes: Changes,
): Promise<Patient> =>
  callApi('PATCH', `/patients/${patientId}`, { body: changes });
