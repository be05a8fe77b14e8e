import type { AppointmentTypeView } from '#contract/scheduling.ts';

const TONES = 8;

/** Which of the calendar's colours a type has: each its own, in the order of the list, for as long as there are enough. */
export function toneOf(typeId: number, types: Pick<AppointmentTypeView, 'id'>[] = []): string {
  const place = types.findIndex(({ id }) => id === typeId);
  return `tone-${(place < 0 ? typeId : place) % TONES}`;
}
