import type { Chapter, Happening } from './chapter.ts';

export const visits: Chapter = {
  kind: 'visits',
  tells: {
    'appointment.scheduled': 'A visit was booked',
    'appointment.rescheduled': 'A visit was moved',
    'appointment.canceled': 'A visit was canceled',
    'appointment.changed': ({ details }: Happening) =>
      details.status === 'no_show' ? 'The patient did not come to a visit' : 'A visit was changed',
    // Entries of before these named their event.
    'appointments.scheduled': 'A visit was booked',
    'appointments.rescheduled': 'A visit was moved',
    'appointments.canceled': 'A visit was canceled',
    'appointments.changed': ({ details }: Happening) =>
      details.status === 'no_show' ? 'The patient did not come to a visit' : 'A visit was changed',
    'visit.started': 'A video visit began',
    'visit.joined': 'Somebody joined a video visit',
    'visit.ended': 'A video visit ended',
  },
};
