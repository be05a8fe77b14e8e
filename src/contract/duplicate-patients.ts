import { z } from 'zod';
import { LocalDate, storable } from './conventions.ts';
import type { PatientView } from './patients.ts';

/** Portal: what is known of a patient who is to be added. */
export const FindDuplicatesInput = z.strictObject({
  first_name: storable(255).optional(),
  last_name: storable(255).optional(),
  birth_date: LocalDate.optional(),
  email: storable(254).optional(),
  phone_number: storable(50).optional(),
});
export type FindDuplicatesInput = z.infer<typeof FindDuplicatesInput>;

/** A patient on record, with what is the same: the email, the phone number, or the date of birth beside a similar name. */
export type DuplicatePatient = PatientView & { same: ('email' | 'phone_number' | 'birth_date')[] };
