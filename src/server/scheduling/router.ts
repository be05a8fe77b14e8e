import {
  AppointmentIdInput,
  BookAppointmentInput,
  ListAppointmentsInput,
  ListAppointmentTypesInput,
  ListAvailabilityInput,
  ListCalendarsInput,
  RescheduleAppointmentInput,
} from '#contract/scheduling.ts';
import { noPatient, patientData, router } from '#server/core/trpc.ts';
import { getAppointment } from './appointments/get-appointment.ts';
import { listAppointments } from './appointments/list-appointments.ts';
import { listAvailability } from './availability/list-availability.ts';
import { bookAppointment } from './booking/book-appointment.ts';
import { cancelAppointment } from './booking/cancel-appointment.ts';
import { rescheduleAppointment } from './booking/reschedule-appointment.ts';
import { listAppointmentTypes } from './catalogue/list-appointment-types.ts';
import { listCalendars } from './catalogue/list-calendars.ts';

export { receiveAcuityWebhook } from './acuity-sync/acuity-webhook.ts';

export const schedulingRouter = router({
  listAppointmentTypes: noPatient
    .input(ListAppointmentTypesInput)
    .query(({ ctx, input }) => listAppointmentTypes(ctx, input)),
  listCalendars: noPatient.input(ListCalendarsInput).query(({ ctx, input }) => listCalendars(ctx, input)),
  listAvailability: noPatient.input(ListAvailabilityInput).query(({ ctx, input }) => listAvailability(ctx, input)),
});

export const appointmentsRouter = router({
  list: patientData('Appointment')
    .input(ListAppointmentsInput)
    .query(({ ctx, input }) => listAppointments(ctx, input)),
  book: patientData('Appointment')
    .input(BookAppointmentInput)
    .mutation(({ ctx, input }) => bookAppointment(ctx, input)),
  get: patientData('Appointment')
    .input(AppointmentIdInput)
    .query(({ ctx, input }) => getAppointment(ctx, input)),
  cancel: patientData('Appointment')
    .input(AppointmentIdInput)
    .mutation(({ ctx, input }) => cancelAppointment(ctx, input)),
  reschedule: patientData('Appointment')
    .input(RescheduleAppointmentInput)
    .mutation(({ ctx, input }) => rescheduleAppointment(ctx, input)),
});
