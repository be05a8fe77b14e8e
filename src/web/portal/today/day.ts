import type { AppointmentView } from '#contract/scheduling.ts';

type Times = Pick<AppointmentView, 'id' | 'from_date'>;
type Counted = Times & Pick<AppointmentView, 'status' | 'completed_at'>;

const isAhead = ({ from_date }: Pick<Times, 'from_date'>, now: number): boolean => Date.parse(from_date) > now;

/**
 * Key figures of a day's appointments, given in the order of their times; `now` in epoch milliseconds. One that took
 * place early is not to come any more.
 */
export function figuresOf<Item extends Counted>(appointments: readonly Item[], now: number) {
  const coming = appointments.filter((one) => one.status === 'scheduled' && !one.completed_at && isAhead(one, now));
  const missed = appointments.filter(({ status }) => status === 'no_show');
  return { all: appointments.length, missed: missed.length, coming: coming.length, next: coming[0] ?? null };
}

/** Id of the first appointment that has not begun; null unless others have. */
export function firstAfterNow(appointments: readonly Times[], now: number): string | null {
  const index = appointments.findIndex((one) => isAhead(one, now));
  return index > 0 ? (appointments[index]?.id ?? null) : null;
}
