import type { Chapter, Happening } from './chapter.ts';

export const visits: Chapter = {
  kind: 'visits',
  tells: {
    'appointment.scheduled': 'Visit booked',
    'appointment.rescheduled': 'Visit moved',
    'appointment.canceled': 'Visit canceled',
    'appointment.changed': ({ details }: Happening) =>
      details.status === 'no_show' ? 'Patient did not come to a visit' : 'Visit changed',
    // Entries of before these named their event.
    'appointments.scheduled': 'Visit booked',
    'appointments.rescheduled': 'Visit moved',
    'appointments.canceled': 'Visit canceled',
    'appointments.changed': ({ details }: Happening) =>
      details.status === 'no_show' ? 'Patient did not come to a visit' : 'Visit changed',
    'visit.started': 'Video visit started',
    'visit.joined': 'Video visit joined',
    'visit.ended': 'Video visit ended',
  },
};
