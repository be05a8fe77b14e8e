import type { CallSeatView } from '#contract/visit-call.ts';
import type { EnterVisitInput } from '#contract/visits.ts';
import { type Context, inVisitorsCall } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { checkPatient } from './check-patient.ts';
import { findByToken } from './open-visit.ts';
import { refuseOutside, sitDown } from './sit-down.ts';

/**
 * A patient enters their visit by its link, with what the clinic asks for beside it. `hold`: the tab's own secret, with
 * which it comes back. Errors: as `sitDown`; 404 for a link that leads nowhere, 403 `verification_required`, 429.
 */
export async function enterVisit(ctx: Context, input: EnterVisitInput): Promise<CallSeatView> {
  if (ctx.actor.kind !== 'visitor') throw refuse('forbidden', 'A visit is entered from its link.');
  const { visit, tenant } = await findByToken(ctx, input.token);
  // Outside its time nobody comes in, and nobody is told whether they would.
  refuseOutside(ctx, visit);
  await checkPatient(ctx, tenant, visit, {
    birthDate: input.date_of_birth ?? null,
    pass: input.pass ?? null,
    hold: input.hold ?? null,
  });
  const own = inVisitorsCall(ctx, 'visit_link');
  return sitDown(own, visit, {
    action: 'visits.enter',
    side: 'patient',
    staffId: null,
    hold: input.hold ?? null,
  });
}
