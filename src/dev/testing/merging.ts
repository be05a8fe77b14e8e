import type { MergeField } from '#contract/merge-patients.ts';
import type { Context } from '#server/core/context.ts';
import { asAdmin, asPractitioner } from './actors.ts';
import type { CareBench } from './care.ts';

export type Merging = ReturnType<typeof merging>;

/** Merges patients of a bench, as an admin does. */
export function merging(care: CareBench) {
  const tenant = { id: care.tenantId };
  const admin = asAdmin(care.clinic.services, tenant);
  const preview = (id: string, other_id: string, ctx: Context = admin) =>
    care.caller(ctx).patients.previewMerge({ id, other_id });
  return {
    admin,
    nurse: asPractitioner(care.clinic.services, tenant),
    make: async (body: object = {}): Promise<string> => (await care.send('POST', '/patients', body)).body.id,
    preview,
    /** As the page does: takes what the preview proposes, or `take`. */
    async merge(id: string, otherId: string, { take, ctx = admin }: { take?: MergeField[]; ctx?: Context } = {}) {
      const { patient, other, fields } = await preview(id, otherId, ctx);
      const proposed = fields.filter(({ takes_other }) => takes_other).map(({ field }) => field);
      return care.caller(ctx).patients.merge({
        ...{ id, other_id: otherId, take: take ?? proposed },
        ...{ updated_at: patient.updated_at, other_updated_at: other.updated_at },
      });
    },
    /** The topics of the events of an object, in order. */
    eventsOf: async (objectId: string) =>
      (await care.db.event.findMany({ where: { objectId }, orderBy: { position: 'asc' } })).map(
        ({ eventTopic, payload }) => ({ topic: eventTopic, payload: payload as Record<string, unknown> }),
      ),
  };
}

/** `done`, or the code of the error. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error) => error.cause?.code ?? error.code ?? String(error),
  );
