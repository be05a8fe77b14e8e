import type { Page } from '#contract/conventions.ts';
import type { CalendarView, ListCalendarsInput } from '#contract/scheduling.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { wholeOrPage } from '#server/core/paging.ts';
import { type Calendar, findInCatalogue, getCatalogue } from './catalogue.ts';

const present = (calendar: Calendar): CalendarView => ({
  id: calendar.id,
  calendar_id: calendar.id,
  name: calendar.name,
  time_zone: calendar.timeZone,
  practitioner_id: calendar.practitionerId,
  appointment_type_ids: calendar.typeIds,
});

/**
 * Lists the calendars; `appointment_type_id` selects those that offer the type, `user_ids` those of these
 * practitioners.
 */
export async function listCalendars(ctx: Context, input: ListCalendarsInput): Promise<Page<CalendarView>> {
  requireScope(ctx.actor, 'appointments:read');
  const { appointment_type_id, calendar_id, user_ids } = input;
  const calendars =
    appointment_type_id === undefined
      ? (await getCatalogue(ctx)).calendars
      : (await findInCatalogue(ctx, { appointment_type_id })).calendars;
  const wanted = calendars.filter(
    ({ id, practitionerId }) =>
      (calendar_id === undefined || id === calendar_id) &&
      (!user_ids || (practitionerId !== null && user_ids.includes(practitionerId))),
  );
  return wholeOrPage(wanted.map(present), input);
}
