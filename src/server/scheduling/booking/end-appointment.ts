import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { MINUTE } from '#server/core/clock.ts';
import { type Context, storedCallerOf } from '#server/core/context.ts';
import { apiError, OUTCOME_UNKNOWN } from '#server/core/errors.ts';
import { getSchedulingAccount } from '#server/integrations/index.ts';
import {
  type ProviderAppointment,
  SchedulingError,
  type SchedulingProvider,
} from '#server/providers/scheduling-provider.ts';
import {
  endPendingChange,
  isQuiet,
  type PendingChange,
  providerIdOf,
  queueResolve,
  reasonBoundTo,
} from '../appointments/appointment.ts';
import { getCatalogue } from '../catalogue/catalogue.ts';
import { applyProviderResponse, endLocally, isOfFormerAccount } from '../sync/apply-provider-state.ts';

const PROVIDER = SCHEDULING_PROVIDER.name;

export type End = { as: 'canceled'; reason?: string | undefined } | { as: 'no_show' };

/** Messages for the case that the provider does not confirm the outcome. */
const UNKNOWN_OUTCOME = {
  canceled: {
    detail: `${PROVIDER} did not say whether it canceled the appointment. It is safe to cancel it again.`,
    people: `We are checking with ${PROVIDER} whether the appointment is canceled.`,
  },
  no_show: {
    detail: `${PROVIDER} did not say whether it noted that the patient did not come. It is safe to send it again.`,
    people: `We are checking with ${PROVIDER} whether it is noted that the patient did not come.`,
  },
};

/** Instructions when no account is connected. */
const WITHOUT_ACCOUNT = {
  canceled: `Tell the patient, and cancel the appointment in ${PROVIDER} itself: it is canceled here as well once ${PROVIDER} is connected again.`,
  no_show: `That the patient did not come can be noted in ${PROVIDER} itself: it is seen here once ${PROVIDER} is connected again.`,
};

/**
 * Ends a booked appointment at the provider, whose only operation for this is a cancellation that may be marked as a
 * no-show. Idempotent; an appointment that is gone at the provider ends locally as requested.
 *
 * @throws 502, 503, 504 naming the provider, after which a retry is safe.
 */
export async function endAppointment(ctx: Context, appointment: Appointment, end: End): Promise<Appointment | null> {
  const account = await getSchedulingAccount(ctx, undefined, WITHOUT_ACCOUNT[end.as]);
  if (isOfFormerAccount(appointment, account))
    return endLocally(ctx, appointment, 'former_account', { as: end.as, reason: sealedReason(ctx, appointment, end) });
  const { provider } = account;
  const { calendars } = await getCatalogue(ctx, undefined, 'urgent');
  const providerId = providerIdOf(appointment);
  const quiet = end.as === 'no_show' || (await isQuiet(ctx, appointment));
  const row = await writeIntent(ctx, appointment, end);
  // The stored reason, so that a retry without a reason sends the first one.
  const note = row.cancelReason && ctx.cipher.open(row.cancelReason, reasonBoundTo(row));
  const how = end.as === 'no_show' ? { quiet, noShow: true } : { quiet, note };
  const earlier = appointment.pendingChange ? await provider.appointment(providerId).catch(() => null) : null;
  const isDone = earlier?.canceled && (end.as === 'canceled' || earlier.noShow);
  let remote: ProviderAppointment;
  try {
    remote = isDone ? earlier : await provider.cancel(providerId, how);
  } catch (error) {
    if (!(error instanceof SchedulingError)) throw error;
    remote = await resolveFailure(ctx, provider, row, { end, error });
  }
  return applyProviderResponse(ctx, account, row, { remote, calendars });
}

const sealedReason = (ctx: Context, appointment: Appointment, end: End) =>
  end.as === 'canceled' && end.reason ? ctx.cipher.seal(end.reason, reasonBoundTo(appointment)) : null;

/** Writes the intent. A reschedule in progress keeps its own intent, which ends with the appointment. */
async function writeIntent(ctx: Context, appointment: Appointment, end: End): Promise<Appointment> {
  const { id, version } = appointment;
  const by = { endedBy: storedCallerOf(ctx) };
  const kind = end.as === 'no_show' ? 'no_show' : 'cancel';
  const intent = { kind, unknown: false } satisfies PendingChange;
  const reason = sealedReason(ctx, appointment, end);
  return ctx.db.$transaction(async (tx) => {
    await tx.$executeRaw`
      update appointments set
        pending_change = coalesce(pending_change, ${JSON.stringify(intent)}::jsonb) || ${JSON.stringify(by)}::jsonb,
        cancel_reason = case when ${kind} = 'cancel' then coalesce(${reason}::bytea, cancel_reason) end,
        version = version + 1, updated_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenantId}::uuid and id = ${id}::uuid and version = ${version} and status = 'scheduled'`;
    await queueResolve(tx, ctx, id);
    return tx.appointment.findFirstOrThrow({ where: { tenantId: ctx.tenantId, id } });
  });
}

/** Ending is idempotent, so an unknown outcome is looked up once and then left to the caller's retry. */
async function resolveFailure(
  ctx: Context,
  provider: SchedulingProvider,
  row: Appointment,
  { end, error }: { end: End; error: SchedulingError },
): Promise<ProviderAppointment> {
  if (error.effect === 'unknown') {
    const remote = await provider.appointment(providerIdOf(row)).catch(() => null);
    if (remote?.canceled) return remote;
    const { detail, people } = UNKNOWN_OUTCOME[end.as];
    throw apiError(error.code, detail, { people, meta: OUTCOME_UNKNOWN });
  }
  if (error.reason === 'not_found' && !(await provider.appointment(providerIdOf(row))))
    return asEndedAtProvider(row, end);
  await endPendingChange(ctx, row, row.status);
  throw error;
}

/**
 * The local row in the provider's shape, as if it had been ended there; for an appointment that is gone at the
 * provider.
 */
const asEndedAtProvider = (row: Appointment, { as }: End): ProviderAppointment => ({
  id: providerIdOf(row),
  firstName: '',
  lastName: '',
  email: null,
  phone: null,
  startAt: row.startAt,
  durationMinutes: (row.endAt.getTime() - row.startAt.getTime()) / MINUTE,
  typeId: row.appointmentTypeId,
  type: row.appointmentType,
  calendarId: row.calendarId,
  calendar: row.calendar,
  timeZone: row.timeZone,
  canceled: true,
  noShow: as === 'no_show',
  location: null,
  fieldValues: [],
});
