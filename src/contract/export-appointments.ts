import type { z } from 'zod';
import { ListAppointmentsInput } from './scheduling.ts';

/** Portal: exports a list of appointments as a file. */
export const ExportAppointmentsInput = ListAppointmentsInput.pick({
  patient_id: true,
  scheduled_after: true,
  scheduled_before: true,
  status: true,
  period: true,
  appointment_type_id: true,
  calendar_id: true,
  practitioner_id: true,
  scheduling_issue: true,
});
export type ExportAppointmentsInput = z.infer<typeof ExportAppointmentsInput>;
