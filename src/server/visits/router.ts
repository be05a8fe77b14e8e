import { NoInput } from '#contract/patients.ts';
import { OpenTestInput, ReportTestInput, TryLineInput } from '#contract/visit-test.ts';
import {
  AttendanceInput,
  EnterVisitInput,
  OpenVisitInput,
  SetVisitCheckInput,
  VisitIdInput,
} from '#contract/visits.ts';
import { noPatient, patientData, router } from '#server/core/trpc.ts';
import { admitPatient } from './admit-patient.ts';
import { endCall } from './end-call.ts';
import { enterAsStaff, enterVisit } from './enter-visit.ts';
import { exchangeVisitLink } from './exchange-visit-link.ts';
import { listAttendance } from './list-attendance.ts';
import { listWaiting } from './list-waiting.ts';
import { openVisit } from './open-visit.ts';
import { showCall } from './show-call.ts';
import { signLink } from './sign-link.ts';
import { getVisitCheck, setVisitCheck } from './visit-check.ts';
import { openTest, reportTest, tryLine } from './visit-test.ts';

export const visitsRouter = router({
  open: patientData('Appointment')
    .input(OpenVisitInput)
    .query(({ ctx, input }) => openVisit(ctx, input)),
  openTest: patientData('Appointment')
    .input(OpenTestInput)
    .query(({ ctx, input }) => openTest(ctx, input)),
  tryLine: noPatient.input(TryLineInput).mutation(({ ctx, input }) => tryLine(ctx, input)),
  reportTest: patientData('Appointment')
    .input(ReportTestInput)
    .mutation(({ ctx, input }) => reportTest(ctx, input)),
  enter: patientData('Appointment')
    .input(EnterVisitInput)
    .mutation(({ ctx, input }) => enterVisit(ctx, input)),
  enterAsStaff: patientData('Appointment')
    .input(VisitIdInput)
    .mutation(({ ctx, input }) => enterAsStaff(ctx, input)),
  admit: patientData('Appointment')
    .input(VisitIdInput)
    .mutation(({ ctx, input }) => admitPatient(ctx, input)),
  endCall: patientData('Appointment')
    .input(VisitIdInput)
    .mutation(({ ctx, input }) => endCall(ctx, input)),
  newLink: patientData('Appointment', { action: 'visits.exchange_link' })
    .input(VisitIdInput)
    .mutation(({ ctx, input }) => exchangeVisitLink(ctx, input)),
  signLink: patientData('Appointment')
    .input(VisitIdInput)
    .query(({ ctx, input }) => signLink(ctx, input)),
  waiting: patientData('Appointment', { action: 'visits.list_waiting' })
    .input(NoInput.optional())
    .query(({ ctx }) => listWaiting(ctx)),
  showCall: patientData('Appointment', { action: 'appointments.get' })
    .input(VisitIdInput)
    .query(({ ctx, input }) => showCall(ctx, input)),
  attendance: patientData('Appointment', { action: 'appointments.list' })
    .input(AttendanceInput)
    .query(({ ctx, input }) => listAttendance(ctx, input)),
  getCheck: noPatient.input(NoInput.optional()).query(({ ctx }) => getVisitCheck(ctx)),
  setCheck: noPatient.input(SetVisitCheckInput).mutation(({ ctx, input }) => setVisitCheck(ctx, input)),
});
