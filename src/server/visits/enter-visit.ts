import type { CallSeatView } from '#contract/visit-call.ts';
import type { EnterVisitInput } from '#contract/visits.ts';
import { type Context, inVisitorsCall } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { checkPatient } from './check-patient.ts';
import { findByToken } from './open-visit.ts';
import { refuseOutside, sitDown } from './sit-down.ts';

/**
 * Takes the patient's seat by the video link, after the tenant's verification. `hold`: the browser tab's secret, with
 * which it can rejoin.
 *
 * @throws errors of `sitDown`; 404 for an unknown link; 403 `verification_required`; 429.
 */
export async function enterVisit(ctx: Context, input: EnterVisitInput): Promise<CallSeatView> {
  if (ctx.actor.kind !== 'visitor') throw refuse('forbidden', 'A visit is entered from its link.');
  const { visit, tenant } = await findByToken(ctx, input.token);
  // Checked first: outside the window the response must not reveal whether verification would pass.
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
