import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { invalid } from '#server/core/errors.ts';
import { type BookableType, type Calendar, type Catalogue, getCatalogue } from './catalogue.ts';

/** What was made at Acuity a moment ago is found at the second look. */
const SECOND_LOOK_MS = 2 * SECOND;

export type Offer = { catalogue: Catalogue; type: BookableType; calendars: Calendar[] };

/** The type and the calendars that offer it (one, when named), or 422 `invalid_parameter` pointing to the field. */
export async function findInCatalogue(
  ctx: Context,
  wish: { appointment_type_id: number; calendar_id?: number | undefined },
  maxAgeMs?: number,
): Promise<Offer> {
  const known = find(await getCatalogue(ctx, maxAgeMs), wish);
  if ('type' in known) return known;
  const anew = find(await getCatalogue(ctx, SECOND_LOOK_MS), wish);
  if ('type' in anew) return anew;
  throw anew.fault;
}

function find(
  catalogue: Catalogue,
  wish: { appointment_type_id: number; calendar_id?: number | undefined },
): Offer | { fault: Error } {
  const type = catalogue.types.find(({ id }) => id === wish.appointment_type_id);
  if (!type) return { fault: invalid('appointment_type_id', 'There is no such appointment type.') };
  const offering = catalogue.calendars.filter(({ id }) => type.calendarIds.includes(id));
  if (wish.calendar_id === undefined) return { catalogue, type, calendars: offering };
  const calendar = offering.find(({ id }) => id === wish.calendar_id);
  if (calendar) return { catalogue, type, calendars: [calendar] };
  const exists = catalogue.calendars.some(({ id }) => id === wish.calendar_id);
  const detail = exists ? `This calendar does not offer "${type.name}".` : 'There is no such calendar.';
  return { fault: invalid('calendar_id', detail) };
}
