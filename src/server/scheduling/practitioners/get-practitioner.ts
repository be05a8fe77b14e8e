import type { PractitionerView } from '#contract/practitioners.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import { getCatalogueOrEmpty, listCareTeam, practitionerPresenter } from './care-team.ts';

/**
 * Returns one practitioner, also a disabled one, since past appointments still name them. Not available to patients.
 *
 * @throws 404.
 */
export async function getPractitioner(ctx: Context, { id }: { id: string }): Promise<PractitionerView> {
  requireScope(ctx.actor, 'appointments:read', { patients: false });
  const { types, calendars } = await getCatalogueOrEmpty(ctx);
  const [[practitioner], present] = await Promise.all([
    listCareTeam(ctx, calendars, { id }),
    practitionerPresenter(ctx, types),
  ]);
  if (!practitioner) throw notFound('practitioner');
  return present(practitioner);
}
