import type { Page } from '#contract/conventions.ts';
import type { CalendarView, ListCalendarsInput } from '#contract/scheduling.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { pageOf } from '#server/core/paging.ts';
import { type Calendar, findInCatalogue, getCatalogue } from './catalogue.ts';

const present = (calendar: Calendar): CalendarView => ({
  id: calendar.id,
  calendar_id: calendar.id,
  name: calendar.name,
  time_zone: calendar.timeZone,
  practitioner_id: calendar.practitionerId,
  appointment_type_ids: calendar.typeIds,
});

/** Whose time can be booked; with `appointment_type_id`, those that offer that type. */
export async function listCalendars(ctx: Context, input: ListCalendarsInput): Promise<Page<CalendarView>> {
  requireScope(ctx.actor, 'appointments:read');
  const { appointment_type_id } = input;
  const calendars =
    appointment_type_id === undefined
      ? (await getCatalogue(ctx)).calendars
      : (await findInCatalogue(ctx, { appointment_type_id })).calendars;
  return pageOf(calendars.map(present), input);
}
