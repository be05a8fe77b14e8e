import type { AppointmentView } from '#contract/scheduling.ts';

/** Fields of an appointment that actions on it need. */
export type AppointmentSummary = Pick<
  AppointmentView,
  | 'id'
  | 'patient_id'
  | 'appointment_type_id'
  | 'appointment_type'
  | 'calendar_id'
  | 'calendar'
  | 'from_date'
  | 'to_date'
  | 'time_zone'
  | 'status'
  | 'scheduling_issue'
  | 'video_call_url'
>;
