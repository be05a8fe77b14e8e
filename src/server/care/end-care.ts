import { MINUTE, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { archivePatient } from '#server/patients/archive-patient.ts';
import { lockPatient } from '#server/patients/lock-patient.ts';
import { queueEndOfCare, unqueueEndOfCare } from '#server/patients/queue-end-of-care.ts';
import { endAtProviders } from './end-at-providers.ts';
import { markEnding, type Problem } from './ending.ts';
import { countsOf, type Live, listLive } from './list-live.ts';

/** After this pause another run continues when a run has crashed. */
const LOOK_AFTER_MS = 2 * MINUTE;
const FIRST_PAUSE_MS = 5 * SECOND;
const LONGEST_PAUSE_MS = 360 * MINUTE;

/** Doubles with each failed attempt. */
const pauseAfter = (tries: number): number => Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries, 20), LONGEST_PAUSE_MS);

/**
 * Ends at the providers what is live for a patient whose care is ending, or who is archived already, and archives the
 * patient once nothing is. Idempotent, also under concurrent runs; queues itself again with growing pauses until
 * everything has ended.
 */
export async function endCare(services: Services, { tenantId, patientId, tries }: Jobs['end_care']): Promise<void> {
  const ctx = systemContext(services, tenantId, 'end_care');
  const live = await takeUp(ctx, patientId, tries);
  if (!live) return;
  const problems = await endAtProviders(ctx, live);
  await conclude(ctx, patientId, { problems, tries });
}

/** Returns what is to be ended; null when the patient is in care. The next run is queued before anything is done. */
function takeUp(ctx: Context, patientId: string, tries: number): Promise<Live | null> {
  return ctx.db.$transaction(async (tx) => {
    const patient = await lockPatient(ctx, tx, patientId);
    if (patient.status !== 'archived' && !patient.careEndingAt) return null;
    const live = await listLive(tx, ctx, patientId);
    if (!live && !patient.careEndingAt) return null;
    if (live && !patient.careEndingAt) {
      await markEnding(tx, ctx, patientId);
      await record(tx, ctx, {
        action: 'patients.end_care',
        object: { type: 'Patient', id: patientId },
        patientId,
        details: countsOf(live),
      });
    }
    await queueEndOfCare(tx, ctx, patientId, { tries: tries + 1, pauseMs: LOOK_AFTER_MS });
    return live ?? { visits: [], subscriptions: [], intents: [] };
  });
}

function conclude(
  ctx: Context,
  patientId: string,
  { problems, tries }: { problems: Problem[]; tries: number },
): Promise<void> {
  return ctx.db.$transaction(async (tx) => {
    const patient = await lockPatient(ctx, tx, patientId);
    if (!patient.careEndingAt) return;
    if (!(await listLive(tx, ctx, patientId))) {
      await archivePatient(tx, ctx, patientId);
      return unqueueEndOfCare(tx, patientId);
    }
    await markEnding(tx, ctx, patientId, problems);
    await queueEndOfCare(tx, ctx, patientId, { tries: tries + 1, pauseMs: pauseAfter(tries) });
  });
}
