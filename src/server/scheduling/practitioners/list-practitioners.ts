import type { Page } from '#contract/conventions.ts';
import type { Filter } from '#contract/filters.ts';
import type { ListPractitionersInput, PractitionerView } from '#contract/practitioners.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { pageOf } from '#server/core/paging.ts';
import { getCatalogueOrEmpty, listCareTeam, practitionerPresenter } from './care-team.ts';

/** Lists the active practitioners, ordered by name. Not available to patients. */
export async function listPractitioners(ctx: Context, input: ListPractitionersInput): Promise<Page<PractitionerView>> {
  requireScope(ctx.actor, 'appointments:read', { patients: false });
  const { types, calendars } = await getCatalogueOrEmpty(ctx);
  const [team, present] = await Promise.all([listCareTeam(ctx, calendars), practitionerPresenter(ctx, types)]);
  const { filters = [], filters_operator: operator = 'and' } = input;
  const all = team.map(present);
  const matches = (view: PractitionerView) =>
    filters.length === 0 || (operator === 'or' ? filters.some(fits(view)) : filters.every(fits(view)));
  return pageOf(all.filter(matches), input);
}

const INSTANTS = new Set(['created_at', 'updated_at']);

/** True when a field of the practitioner matches the filter; strings are compared case-insensitively. */
const fits = (view: PractitionerView) => (filter: Filter) => {
  const { field, operator, value } = filter;
  const isInstant = INSTANTS.has(field);
  const read = (text: string | number) => (isInstant ? Date.parse(String(text)) : String(text).toLowerCase());
  const own = read(view[field as keyof PractitionerView] as string);
  if (Array.isArray(value)) return value.some((one) => read(one) === own) === (operator === 'in');
  const other = read(value);
  switch (operator) {
    case 'eq':
      return own === other;
    case 'not_eq':
      return own !== other;
    case 'gt':
      return own > other;
    case 'gteq':
      return own >= other;
    case 'lt':
      return own < other;
    case 'lteq':
      return own <= other;
    default:
      return String(own).includes(String(other)) === (operator === 'matches');
  }
};
