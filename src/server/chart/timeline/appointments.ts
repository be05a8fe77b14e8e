import type { TimelineChange, TimelineSection } from './section.ts';

/** Names the previous and the new calendar when both events are available; times are shown separately. */
function describeReschedule({ shown, before }: TimelineChange) {
  const [from, to] = [before, shown].map((payload) =>
    typeof payload?.calendar === 'string' ? payload.calendar : null,
  );
  return { title: 'An appointment was moved', note: from && to && from !== to ? `From ${from} to ${to}` : undefined };
}

const MARKS: Record<string, [text: string, undone: string]> = {
  checked_in: ['The patient checked in for an appointment', 'A check-in was undone'],
  completed: ['An appointment took place', '“Took place” was undone'],
  no_show: ['The patient did not come to an appointment', '“Did not come” was undone'],
};

/** Entries of earlier releases, and no-shows that the provider reported, have a status and no mark. */
function describeUpdate({ details: { mark, undone, status } }: TimelineChange): string {
  const [text, undoText] = MARKS[String(mark ?? status)] ?? ['An appointment was changed'];
  return undone && undoText ? undoText : text;
}

export const appointmentsSection: TimelineSection = {
  kind: 'visits',
  texts: {
    'appointment.scheduled': 'An appointment was booked',
    'appointment.rescheduled': describeReschedule,
    'appointment.canceled': 'An appointment was canceled',
    'appointment.changed': describeUpdate,
    // Names of earlier audit entries, which stay readable.
    'appointments.book': 'An appointment was booked',
    'appointments.reschedule': describeReschedule,
    'appointments.cancel': 'An appointment was canceled',
    'appointments.update': describeUpdate,
    'appointments.set_note': ({ details }: TimelineChange) =>
      details.written ? 'A note on an appointment was written' : 'A note on an appointment was removed',
    'visits.report_test': 'The patient tested camera and connection before a video visit',
    'visits.exchange_link': 'The link to a video visit was replaced',
    'visits.leave': ({ details }: TimelineChange) =>
      details.side === 'patient' ? 'The patient left a video visit' : 'The practitioner left a video visit',
    'visit.started': 'A video visit began',
    'visit.joined': ({ details }: TimelineChange) =>
      details.side === 'patient'
        ? 'The patient joined a video visit'
        : details.side === 'staff'
          ? 'The practitioner joined a video visit'
          : 'A participant joined a video visit',
    'visit.ended': 'A video visit ended',
  },
};
