'use client';
import type { AppointmentPageView } from '#contract/appointment-page.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { DateTime } from '#web/ui/date-time.tsx';
import { appointmentTime, formatInstant } from '#web/ui/format-time.ts';
import { OutcomeStatus } from '#web/ui/outcome-tracker.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useMay } from '../me.tsx';
import { useNow } from '../now.tsx';
import { type AppointmentPhase, CANCELED_BECAUSE } from './appointment.ts';

const PROVIDER = SCHEDULING_PROVIDER.name;
const PHASE_MESSAGES = {
  ahead: '',
  running: 'It takes place now.',
  over: 'It is over.',
  completed: 'It took place.',
} as const;

type StatusDetailsProps = {
  appointment: AppointmentPageView['visit'];
  phase: AppointmentPhase;
  pending: AppointmentPageView['under_way'];
  noShowDueAt: string | null;
};

/** What has become of an appointment, in sentences. */
export function StatusDetails({ appointment, phase, pending, noShowDueAt }: StatusDetailsProps) {
  const zone = useReaderZone();
  const now = useNow();
  const mayMark = useMay('appointments:write');
  const checking =
    pending &&
    {
      move: `${PROVIDER} has not said yet whether the appointment is moved${pending.to ? ` to ${appointmentTime(pending.to, zone, appointment.time_zone)}` : ''}. We are asking; until then both times are held.`,
      cancel: `${PROVIDER} has not said yet whether the appointment is canceled. We are asking; it shows here once ${PROVIDER} answers.`,
    }[pending.what];
  const message =
    phase !== 'ended'
      ? PHASE_MESSAGES[phase]
      : appointment.status === 'no_show'
        ? 'The patient did not come.'
        : appointment.cancel_reason
          ? `It was canceled: “${appointment.cancel_reason}” ${appointment.cancel_reason_told ? '(the patient can read it)' : '(not told to the patient)'}`
          : appointment.canceled_because
            ? CANCELED_BECAUSE[appointment.canceled_because].message
            : 'It was canceled. No reason was given.';
  return (
    <>
      {message && (
        <p className="wrap-anywhere">
          {message}
          {phase === 'over' && mayMark && ' If the patient did not come, note it here.'}
          {noShowDueAt &&
            (Date.parse(noShowDueAt) > now
              ? ` ${PROVIDER} gets this at ${formatInstant(noShowDueAt, 'time', zone)}; until then it can be undone.`
              : ` ${PROVIDER} does not have this yet.`)}
        </p>
      )}
      {appointment.checked_in_at && (
        <p>
          The patient checked in: <DateTime value={appointment.checked_in_at} />.
        </p>
      )}
      {appointment.completed_at && (
        <p>
          Noted as taken place: <DateTime value={appointment.completed_at} />.
        </p>
      )}
      <OutcomeStatus message={checking} />
    </>
  );
}
