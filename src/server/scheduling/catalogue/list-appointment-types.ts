import type { Page } from '#contract/conventions.ts';
import type { AppointmentTypeView, ListAppointmentTypesInput } from '#contract/scheduling.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { wholeOrPage } from '#server/core/paging.ts';
import { type BookableType, getCatalogue } from './catalogue.ts';

const present = (type: BookableType): AppointmentTypeView => ({
  id: type.id,
  appointment_type_id: type.id,
  name: type.name,
  description: type.description,
  duration_minutes: type.durationMinutes,
  calendar_ids: type.calendarIds,
});

/** Lists the bookable appointment types in the provider's order. */
export async function listAppointmentTypes(
  ctx: Context,
  input: ListAppointmentTypesInput,
): Promise<Page<AppointmentTypeView>> {
  requireScope(ctx.actor, 'appointments:read');
  return wholeOrPage((await getCatalogue(ctx)).types.map(present), input);
}
