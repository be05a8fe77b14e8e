import type { CareView } from '#contract/care.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { loadPatientFor } from '#server/patients/patient.ts';
import { presentEnding } from './ending.ts';
import { describeLive, listLive } from './list-live.ts';

/** For the portal: returns what archiving a patient would end, or the progress of an end of care. */
export async function getCare(ctx: Context, { id }: { id: string }): Promise<CareView> {
  requireStaff(ctx.actor);
  const patient = await loadPatientFor(ctx, id);
  const live = await listLive(ctx.db, ctx, id);
  return {
    ending: presentEnding(patient),
    ...describeLive(live ?? { appointments: [], subscriptions: [], intents: [] }),
  };
}
