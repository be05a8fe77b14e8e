import { ExplainAvailabilityInput, ListAvailabilityInput, NextAvailabilityInput } from '#contract/availability.ts';
import { GetCalendarInput, ListTimeOffInput } from '#contract/calendar.ts';
import { ListPractitionersInput, PractitionerIdInput } from '#contract/practitioners.ts';
import {
  AppointmentIdInput,
  BookAppointmentInput,
  CancelAppointmentInput,
  ListAppointmentsInput,
  ListAppointmentTypesInput,
  ListCalendarsInput,
  RescheduleAppointmentInput,
  UnmarkAppointmentInput,
} from '#contract/scheduling.ts';
import { AttachUnmatchedInput, ListUnmatchedInput, UnmatchedIdInput } from '#contract/unmatched.ts';
import { noPatient, noPatientAs, patientData, router } from '#server/core/trpc.ts';
import { getAppointment } from './appointments/get-appointment.ts';
import { listAppointments } from './appointments/list-appointments.ts';
import { showAppointment } from './appointments/show-appointment.ts';
import { showCalendar } from './appointments/show-calendar.ts';
import { explainAvailability } from './availability/explain-availability.ts';
import { listAvailability } from './availability/list-availability.ts';
import { nextAvailability } from './availability/next-availability.ts';
import { showTimeOff } from './availability/show-time-off.ts';
import { bookAppointment } from './booking/book-appointment.ts';
import { cancelAppointment } from './booking/cancel-appointment.ts';
import { checkInAppointment, completeAppointment, markNoShow, unmarkAppointment } from './booking/mark-appointment.ts';
import { rescheduleAppointment } from './booking/reschedule-appointment.ts';
import { listAppointmentTypes } from './catalogue/list-appointment-types.ts';
import { listCalendars } from './catalogue/list-calendars.ts';
import { getPractitioner } from './practitioners/get-practitioner.ts';
import { listPractitioners } from './practitioners/list-practitioners.ts';
import { showCareTeam } from './practitioners/show-care-team.ts';
import { attachUnmatched, createPatientOfUnmatched } from './unmatched/attach-unmatched.ts';
import { ignoreUnmatched, restoreUnmatched } from './unmatched/ignore-unmatched.ts';
import { listUnmatched } from './unmatched/list-unmatched.ts';

export { receiveAcuityWebhook } from './sync/acuity-webhook.ts';

export const schedulingRouter = router({
  listAppointmentTypes: noPatient
    .input(ListAppointmentTypesInput)
    .query(({ ctx, input }) => listAppointmentTypes(ctx, input)),
  listCalendars: noPatient.input(ListCalendarsInput).query(({ ctx, input }) => listCalendars(ctx, input)),
  listAvailability: noPatient.input(ListAvailabilityInput).query(({ ctx, input }) => listAvailability(ctx, input)),
  nextAvailability: noPatientAs('scheduling.find_next_availability')
    .input(NextAvailabilityInput)
    .query(({ ctx, input }) => nextAvailability(ctx, input)),
  explainAvailability: noPatient
    .input(ExplainAvailabilityInput)
    .query(({ ctx, input }) => explainAvailability(ctx, input)),
  showTimeOff: noPatient.input(ListTimeOffInput).query(({ ctx, input }) => showTimeOff(ctx, input)),
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
  show: patientData('Appointment', { action: 'appointments.get' })
    .input(AppointmentIdInput)
    .query(({ ctx, input }) => showAppointment(ctx, input)),
  showCalendar: patientData('Appointment', { action: 'appointments.list' })
    .input(GetCalendarInput)
    .query(({ ctx, input }) => showCalendar(ctx, input)),
  cancel: patientData('Appointment')
    .input(CancelAppointmentInput)
    .mutation(({ ctx, input }) => cancelAppointment(ctx, input)),
  checkIn: patientData('Appointment', { action: 'appointments.update' })
    .input(AppointmentIdInput)
    .mutation(({ ctx, input }) => checkInAppointment(ctx, input)),
  complete: patientData('Appointment', { action: 'appointments.update' })
    .input(AppointmentIdInput)
    .mutation(({ ctx, input }) => completeAppointment(ctx, input)),
  unmark: patientData('Appointment', { action: 'appointments.update' })
    .input(UnmarkAppointmentInput)
    .mutation(({ ctx, input }) => unmarkAppointment(ctx, input)),
  markNoShow: patientData('Appointment')
    .input(AppointmentIdInput)
    .mutation(({ ctx, input }) => markNoShow(ctx, input)),
  reschedule: patientData('Appointment')
    .input(RescheduleAppointmentInput)
    .mutation(({ ctx, input }) => rescheduleAppointment(ctx, input)),
  listUnmatched: patientData('Appointment')
    .input(ListUnmatchedInput)
    .query(({ ctx, input }) => listUnmatched(ctx, input)),
  attachUnmatched: patientData('Appointment')
    .input(AttachUnmatchedInput)
    .mutation(({ ctx, input }) => attachUnmatched(ctx, input)),
  createPatientOf: patientData('Appointment', { action: 'appointments.create_patient' })
    .input(UnmatchedIdInput)
    .mutation(({ ctx, input }) => createPatientOfUnmatched(ctx, input)),
  ignoreUnmatched: patientData('Appointment')
    .input(UnmatchedIdInput)
    .mutation(({ ctx, input }) => ignoreUnmatched(ctx, input)),
  restoreUnmatched: patientData('Appointment')
    .input(UnmatchedIdInput)
    .mutation(({ ctx, input }) => restoreUnmatched(ctx, input)),
});

export const practitionersRouter = router({
  list: noPatient.input(ListPractitionersInput).query(({ ctx, input }) => listPractitioners(ctx, input)),
  get: noPatient.input(PractitionerIdInput).query(({ ctx, input }) => getPractitioner(ctx, input)),
  careTeam: noPatient.query(({ ctx }) => showCareTeam(ctx)),
});
