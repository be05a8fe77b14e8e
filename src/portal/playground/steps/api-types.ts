/**
 * As `/api/v1/openapi.json` describes them; a generator of your choice makes the
 * same from there.
 */
export type { PatientView as Patient } from '#contract/patients.ts';
export type {
  AppointmentTypeView as AppointmentType,
  AppointmentView as Appointment,
  AvailabilityView as FreeTime,
} from '#contract/scheduling.ts';
export type {
  PlanView as Plan,
  SubscriptionView as Subscription,
} from '#contract/subscriptions.ts';
