import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { MINUTE, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { getSchedulingAccount } from '#server/integrations/index.ts';
import { archivePatient, dequeueEndOfCare, lockPatient, queueEndOfCare } from '#server/patients/index.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import { StripeRejection } from '#server/providers/stripe-errors.ts';
import { cancelAppointment, resolveAppointment } from '#server/scheduling/index.ts';
import { cancelSubscription, isInProgress, resolveSubscription } from '#server/subscriptions/index.ts';
import { markEnding, type Problem } from './ending.ts';
import { countsOf, type Live, listLive } from './list-live.ts';

type Step = () => Promise<unknown>;

/** The cancellation reason, as the patient may read it and the scheduling provider stores it. */
const CARE_HAS_ENDED = 'Care at the clinic has ended.';

/**
 * Cancels appointments at the scheduling provider, ends subscriptions at Stripe, and looks up pending ones. A failure
 * does not stop the others, but a provider that cannot be reached is not called further.
 * @returns the problems
 */
async function endAtProviders(ctx: Context, { appointments, subscriptions, intents }: Live): Promise<Problem[]> {
  const { tenantId } = ctx;
  const [atScheduling, atStripe] = await Promise.all([
    run(
      ctx,
      SCHEDULING_PROVIDER.id,
      appointments.map((row) => () => endAppointment(ctx, row)),
    ),
    run(ctx, 'stripe', [
      ...subscriptions.map(
        ({ id }) =>
          () =>
            cancelSubscription(ctx, { id }),
      ),
      // A create that is still running is skipped: its outcome comes in a moment, and a look-up would miss it.
      ...intents
        .filter((intent) => !isInProgress(ctx, intent))
        .map(
          ({ id }) =>
            () =>
              resolveSubscription(ctx, { tenantId, intentId: id }),
        ),
    ]),
  ]);
  return [...atScheduling, ...atStripe];
}

/** An appointment that has started takes place; only a pending change of it is resolved. */
async function endAppointment(ctx: Context, { id, status, startAt, endAt, cancelReason }: Appointment): Promise<void> {
  const isUpcoming = status === 'scheduled' && startAt > ctx.clock.now();
  // An earlier cancellation request has given its own reason.
  if (isUpcoming) return void (await cancelAppointment(ctx, { id, ...(!cancelReason && { reason: CARE_HAS_ENDED }) }));
  // Without an account, an appointment that is over is only resolved here.
  if (endAt > ctx.clock.now()) await getSchedulingAccount(ctx);
  await resolveAppointment(ctx, { tenantId: ctx.tenantId, appointmentId: id });
}

async function run(ctx: Context, provider: Problem['provider'], steps: Step[]): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      const problem = problemOf(ctx, provider, error);
      if (!problems.some(({ detail }) => detail === problem.detail)) problems.push(problem);
      if (!problem.for_good) break;
    }
  }
  return problems;
}

function problemOf(ctx: Context, provider: Problem['provider'], error: unknown): Problem {
  if (error instanceof CarelaneError) {
    const { code } = error;
    const detail = error.faults[0]?.detail ?? error.message;
    return { provider, code, detail, for_good: needsAdmin(error) };
  }
  ctx.log.error({ provider, err: (error as Error).stack }, 'care could not be ended');
  return { provider, code: 'internal_error', detail: 'Something went wrong on our side.', for_good: false };
}

/** True when the provider rejected the call, or cannot be called at all: an admin has to fix something. */
const needsAdmin = (error: CarelaneError): boolean =>
  error instanceof StripeRejection ||
  (error instanceof SchedulingError && error.reason !== null) ||
  error.code === 'integration_not_connected' ||
  error.code === 'integration_misconfigured';

/** After this pause another run continues when a run has crashed. */
const CRASH_RETRY_MS = 2 * MINUTE;
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
  const live = await startRun(ctx, patientId, tries);
  if (!live) return;
  const problems = await endAtProviders(ctx, live);
  await finishRun(ctx, patientId, { problems, tries });
}

/** Returns what is to be ended; null when the patient is in care. The next run is queued before anything is done. */
function startRun(ctx: Context, patientId: string, tries: number): Promise<Live | null> {
  return ctx.db.$transaction(async (tx) => {
    const patient = await lockPatient(ctx, tx, patientId);
    if ((patient.status !== 'archived' && !patient.careEndingAt) || patient.mergedInto) return null;
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
    await queueEndOfCare(tx, ctx, patientId, { tries: tries + 1, pauseMs: CRASH_RETRY_MS });
    return live ?? { appointments: [], subscriptions: [], intents: [] };
  });
}

function finishRun(
  ctx: Context,
  patientId: string,
  { problems, tries }: { problems: Problem[]; tries: number },
): Promise<void> {
  return ctx.db.$transaction(async (tx) => {
    const patient = await lockPatient(ctx, tx, patientId);
    if (!patient.careEndingAt) return;
    if (!(await listLive(tx, ctx, patientId))) {
      await archivePatient(tx, ctx, patientId);
      return dequeueEndOfCare(tx, patientId);
    }
    await markEnding(tx, ctx, patientId, problems);
    await queueEndOfCare(tx, ctx, patientId, { tries: tries + 1, pauseMs: pauseAfter(tries) });
  });
}
