import type { Patient } from '#generated/prisma/client.ts';
import { refuse } from '#server/core/errors.ts';

/** An archived patient is read but not changed, booked for or subscribed: 422 `patient_archived`. */
export function assertNotArchived(patient: Pick<Patient, 'status'>): void {
  if (patient.status === 'archived') throw refuse('patient_archived', 'This patient is archived and can only be read.');
}
