import type { AppointmentView } from '#contract/scheduling.ts';

type Times = Pick<AppointmentView, 'id' | 'status' | 'from_date'>;

const isAhead = ({ from_date }: Pick<Times, 'from_date'>, now: number): boolean => Date.parse(from_date) > now;

/** Key figures of a day's appointments, given in the order of their times; `now` in epoch milliseconds. */
export function figuresOf<Item extends Times>(appointments: readonly Item[], now: number) {
  const coming = appointments.filter((one) => one.status === 'scheduled' && isAhead(one, now));
  return { booked: appointments.length, coming: coming.length, next: coming[0] ?? null };
}

/** Id of the first appointment that has not begun; null unless others have. */
export function firstAfterNow(appointments: readonly Times[], now: number): string | null {
  const index = appointments.findIndex((one) => isAhead(one, now));
  return index > 0 ? (appointments[index]?.id ?? null) : null;
}
