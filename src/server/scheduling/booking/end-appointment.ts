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
  pendingChange,
  providerIdOf,
  queueResolve,
  reasonBoundTo,
  reasonOf,
} from '../appointments/appointment.ts';
import { getCatalogue } from '../catalogue/catalogue.ts';
import { applyProviderResponse, endLocally, isOfFormerAccount } from '../sync/apply-provider-state.ts';

const PROVIDER = SCHEDULING_PROVIDER.name;

/** Why an appointment is canceled, and whether the patient may read it. */
type Reason = { text: string | undefined; told: boolean };

/** Instructions when no account is connected. */
const WITHOUT_ACCOUNT = `Tell the patient, and cancel the appointment in ${PROVIDER} itself: it is canceled here as well once ${PROVIDER} is connected again.`;

/**
 * Cancels a booked appointment at the provider. Idempotent; an appointment that is gone at the provider is canceled
 * locally.
 *
 * @throws 502, 503, 504 naming the provider, after which a retry is safe.
 */
export async function endAppointment(
  ctx: Context,
  appointment: Appointment,
  reason: Reason,
): Promise<Appointment | null> {
  const account = await getSchedulingAccount(ctx, undefined, WITHOUT_ACCOUNT);
  if (isOfFormerAccount(appointment, account)) {
    const ended = await endLocally(ctx, appointment, 'former_account', {
      reason: sealedReason(ctx, appointment, reason),
    });
    return ended ?? endAppointment(ctx, await readAgain(ctx, appointment), reason);
  }
  const { provider } = account;
  const { calendars } = await getCatalogue(ctx, undefined, 'urgent');
  const providerId = providerIdOf(appointment);
  const quiet = await isQuiet(ctx, appointment);
  const row = await writeIntent(ctx, appointment, reason);
  // Ended or completed by another request in the meantime.
  if (row.status !== 'scheduled' || row.completedAt) return row;
  // The stored reason, so that a retry without a reason sends the first one. The provider's email contains it.
  const note = reasonOf(ctx, row, !quiet);
  const earlier = appointment.pendingChange ? await provider.appointment(providerId).catch(() => null) : null;
  let remote: ProviderAppointment;
  try {
    remote = earlier?.canceled ? earlier : await provider.cancel(providerId, { quiet, note });
  } catch (error) {
    if (!(error instanceof SchedulingError)) throw error;
    remote = await resolveFailure(ctx, provider, row, error);
  }
  return applyProviderResponse(ctx, account, row, { remote, calendars });
}

const sealedReason = (ctx: Context, appointment: Appointment, { text, told }: Reason) =>
  text ? { cancelReason: ctx.cipher.seal(text, reasonBoundTo(appointment)), cancelReasonTold: told } : null;

const readAgain = ({ db, tenantId }: Context, { id }: Appointment): Promise<Appointment> =>
  db.appointment.findFirstOrThrow({ where: { tenantId, id } });

/**
 * Writes the intent. A reschedule in progress keeps its own intent, which ends with the appointment. When the
 * appointment was changed since it was read, such as by a mark, the intent is written to the current row, unless that
 * is being canceled already.
 */
async function writeIntent(ctx: Context, appointment: Appointment, reason: Reason): Promise<Appointment> {
  const { id, version } = appointment;
  const by = { endedBy: storedCallerOf(ctx) };
  const intent = { kind: 'cancel', unknown: false } satisfies PendingChange;
  const sealed = sealedReason(ctx, appointment, reason);
  // Without a text, only that an earlier one is not to be told.
  const told = sealed ? sealed.cancelReasonTold : reason.told ? null : false;
  const { row, isWritten } = await ctx.db.$transaction(async (tx) => {
    const written = await tx.$executeRaw`
      update appointments set
        pending_change = coalesce(pending_change, ${JSON.stringify(intent)}::jsonb) || ${JSON.stringify(by)}::jsonb,
        cancel_reason = coalesce(${sealed?.cancelReason ?? null}::bytea, cancel_reason),
        cancel_reason_told = case when ${sealed !== null} or cancel_reason is not null
          then coalesce(${told}::boolean, cancel_reason_told) end,
        version = version + 1, updated_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenantId}::uuid and id = ${id}::uuid and version = ${version} and status = 'scheduled'
        and completed_at is null`;
    await queueResolve(tx, ctx, id);
    const after = await tx.appointment.findFirstOrThrow({ where: { tenantId: ctx.tenantId, id } });
    return { row: after, isWritten: written > 0 };
  });
  const isBooked = row.status === 'scheduled' && !row.completedAt;
  return isWritten || !isBooked || pendingChange(row)?.endedBy ? row : writeIntent(ctx, row, reason);
}

/** Ending is idempotent, so an unknown outcome is looked up once and then left to the caller's retry. */
async function resolveFailure(
  ctx: Context,
  provider: SchedulingProvider,
  row: Appointment,
  error: SchedulingError,
): Promise<ProviderAppointment> {
  if (error.effect === 'unknown') {
    const remote = await provider.appointment(providerIdOf(row)).catch(() => null);
    if (remote?.canceled) return remote;
    throw apiError(
      error.code,
      `${PROVIDER} did not say whether it canceled the appointment. It is safe to cancel it again.`,
      { people: `We are checking with ${PROVIDER} whether the appointment is canceled.`, meta: OUTCOME_UNKNOWN },
    );
  }
  if (error.reason === 'not_found' && !(await provider.appointment(providerIdOf(row))))
    return asCanceledAtProvider(row);
  await endPendingChange(ctx, row, row.status);
  throw error;
}

/**
 * The local row in the provider's shape, as if it had been canceled there; for an appointment that is gone at the
 * provider.
 */
const asCanceledAtProvider = (row: Appointment): ProviderAppointment => ({
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
  noShow: false,
  location: null,
  fieldValues: [],
});
