/** The provider of calendars, slots and appointments: its integration id and its display name. */
export const SCHEDULING_PROVIDER = { id: 'acuity', name: 'Acuity' } as const;
