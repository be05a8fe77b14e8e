/** The service that keeps calendars, slots and bookings: its id among the integrations, and its name as people read it. */
export const SCHEDULING_PROVIDER = { id: 'acuity', name: 'Acuity' } as const;
