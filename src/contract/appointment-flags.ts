import { z } from 'zod';
import { Id } from './conventions.ts';
import { MAX_FLAG_ITEMS } from './limits.ts';

export const AppointmentFlagsInput = z.strictObject({ ids: z.array(Id).max(MAX_FLAG_ITEMS) });
export type AppointmentFlagsInput = z.infer<typeof AppointmentFlagsInput>;
/** What staff should know of an appointment's patient before the appointment. */
export type AppointmentFlagsView = {
  appointment_id: string;
  patient_id: string;
  /** The patient has no earlier appointment at the clinic; canceled ones and no-shows do not count. */
  is_first: boolean;
  /** The patient has a subscription with a payment due; null when the reader may not see subscriptions. */
  is_unpaid: boolean | null;
};
