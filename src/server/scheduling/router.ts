import {
  AppointmentIdInput,
  BookAppointmentInput,
  ListAppointmentsInput,
  ListAppointmentTypesInput,
  ListAvailabilityInput,
  ListCalendarsInput,
  RescheduleAppointmentInput,
} from '#contract/scheduling.ts';
import { procedure, router, sharedRead } from '#server/core/trpc.ts';
import { bookAppointment } from './book-appointment.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import { getAppointment } from './get-appointment.ts';
import { listAppointmentTypes } from './list-appointment-types.ts';
import { listAppointments } from './list-appointments.ts';
import { listAvailability } from './list-availability.ts';
import { listCalendars } from './list-calendars.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';

export { receiveAcuityWebhook } from './receive-acuity-webhook.ts';

export const schedulingRouter = router({
  listAppointmentTypes: sharedRead
    .input(ListAppointmentTypesInput)
    .query(({ ctx, input }) => listAppointmentTypes(ctx, input)),
  listCalendars: sharedRead.input(ListCalendarsInput).query(({ ctx, input }) => listCalendars(ctx, input)),
  listAvailability: sharedRead.input(ListAvailabilityInput).query(({ ctx, input }) => listAvailability(ctx, input)),
});

export const appointmentsRouter = router({
  list: procedure.input(ListAppointmentsInput).query(({ ctx, input }) => listAppointments(ctx, input)),
  book: procedure.input(BookAppointmentInput).mutation(({ ctx, input }) => bookAppointment(ctx, input)),
  get: procedure.input(AppointmentIdInput).query(({ ctx, input }) => getAppointment(ctx, input)),
  cancel: procedure.input(AppointmentIdInput).mutation(({ ctx, input }) => cancelAppointment(ctx, input)),
  reschedule: procedure
    .input(RescheduleAppointmentInput)
    .mutation(({ ctx, input }) => rescheduleAppointment(ctx, input)),
});
