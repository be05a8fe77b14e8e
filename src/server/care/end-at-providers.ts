import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { getSchedulingAccount } from '#server/integrations/scheduling-account.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import { StripeRefusal } from '#server/providers/stripe.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { resolveAppointment } from '#server/scheduling/booking/resolve-appointment.ts';
import { cancelSubscription } from '#server/subscriptions/cancel/cancel-subscription.ts';
import { isAtWork, resolveSubscription } from '#server/subscriptions/create/intent.ts';
import type { Problem } from './ending.ts';
import type { Live } from './list-live.ts';

type Step = () => Promise<unknown>;

/** The cancellation reason, as the patient may read it and the scheduling provider stores it. */
const CARE_HAS_ENDED = 'Care at the clinic has ended.';

/**
 * Cancels appointments at the scheduling provider, ends subscriptions at Stripe, and looks up pending ones. A failure
 * does not stop the others, but a provider that cannot be reached is not called further.
 * @returns the problems
 */
export async function endAtProviders(ctx: Context, { visits, subscriptions, intents }: Live): Promise<Problem[]> {
  const { tenantId } = ctx;
  const [atScheduling, atStripe] = await Promise.all([
    run(
      ctx,
      SCHEDULING_PROVIDER.id,
      visits.map((row) => () => endVisit(ctx, row)),
    ),
    run(ctx, 'stripe', [
      ...subscriptions.map(
        ({ id }) =>
          () =>
            cancelSubscription(ctx, { id }),
      ),
      // A create that is still running is skipped: its outcome comes in a moment, and a look-up would miss it.
      ...intents
        .filter((intent) => !isAtWork(ctx, intent))
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
async function endVisit(ctx: Context, { id, status, startAt, endAt, cancelReason }: Appointment): Promise<void> {
  const isToCome = status === 'scheduled' && startAt > ctx.clock.now();
  // An earlier cancellation request has given its own reason.
  if (isToCome) return void (await cancelAppointment(ctx, { id, ...(!cancelReason && { reason: CARE_HAS_ENDED }) }));
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
    const { code, detail } = error.faults[0]!;
    return { provider, code, detail, for_good: isRefused(error) };
  }
  ctx.log.error({ provider, err: (error as Error).stack }, 'care could not be ended');
  return { provider, code: 'internal_error', detail: 'Something went wrong on our side.', for_good: false };
}

/** True when the provider rejected the call, or cannot be called at all: an admin has to fix something. */
const isRefused = (error: CarelaneError): boolean =>
  error instanceof StripeRefusal ||
  (error instanceof SchedulingError && error.reason !== null) ||
  error.code === 'integration_not_connected' ||
  error.code === 'integration_misconfigured';
