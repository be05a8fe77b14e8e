import type { AppointmentTypeView } from '#contract/scheduling.ts';

const TONES = 8;

/** CSS class for the color of an appointment type: distinct, in list order, as long as there are enough colors. */
export function toneOf(typeId: number, types: Pick<AppointmentTypeView, 'id'>[] = []): string {
  const place = types.findIndex(({ id }) => id === typeId);
  return `tone-${(place < 0 ? typeId : place) % TONES}`;
}
