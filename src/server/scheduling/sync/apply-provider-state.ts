import type { CanceledBecause } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { dequeue } from '#server/core/jobs.ts';
import { tokenOfLink } from '#server/core/video-url.ts';
import { addDays, localDay, toMinute } from '#server/core/zone.ts';
import type { SchedulingAccount } from '#server/integrations/index.ts';
import { recordSchedulingRepair } from '#server/integrations/index.ts';
import { invalidateDays } from '#server/mirror/index.ts';
import {
  type ProviderAppointment,
  SchedulingError,
  type SchedulingProvider,
} from '#server/providers/scheduling-provider.ts';
import {
  columnsOf,
  contextOfAuthor,
  holdClaims,
  isPendingMoveTo,
  type KnownCalendar,
  lockAppointment,
  reasonOf,
  recordChange,
  resolveKey,
  type Topic,
} from '../appointments/appointment.ts';
import { type Calendar, getCatalogue } from '../catalogue/catalogue.ts';

/** Maximum attempts while the appointment keeps changing concurrently; the next sync continues. */
export const MAX_ROUNDS = 5;

/**
 * Fetches a local appointment from the provider and syncs the row; one that is gone there is canceled locally. Safe to
 * run concurrently; an appointment that agrees already costs a single call.
 *
 * @returns the row, or null when no local appointment matches.
 */
export async function syncKnownAppointment(
  ctx: Context,
  account: SchedulingAccount,
  providerId: number,
): Promise<Appointment | null> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // Read the local row first: in the other order, a change between the two reads would be missed.
    const stored = await findByProviderId(ctx, providerId);
    if (stored && isOfFormerAccount(stored, account)) return stored;
    const remote = await account.provider.appointment(providerId);
    const row = stored ?? (remote && (await findByLink(ctx, remote)));
    if (!row) return null;
    const after = await applyProviderState(ctx, account, row, { remote, repairs: false });
    if (after) return after;
  }
  throw new Error('The appointment changed at each attempt.');
}

/**
 * Applies the provider's state, or its absence, to the row; null when the row has changed since. `repairs`: no webhook
 * reported the change.
 */
export async function applyProviderState(
  ctx: Context,
  account: SchedulingAccount,
  row: Appointment,
  { remote, repairs }: { remote: ProviderAppointment | null; repairs: boolean },
): Promise<Appointment | null> {
  // The provider has ended it already, so there is nothing left to send or to undo.
  if (row.noShowDueAt && (!remote || remote.canceled)) return settleNoShow(ctx, row);
  if (!remote) {
    const { accountId } = account;
    return endLocally(ctx, row, 'gone_at_provider', { ...(repairs && { repairs: { accountId } }) });
  }
  const state = providerStateOf(remote, [], row);
  if (mustCancelAtProvider(row, state, ctx.clock.now())) {
    // The patient knows of the cancellation from this service; when the appointment was rescheduled at the provider,
    // the provider sends the email.
    const quiet = state.startAt.getTime() === row.startAt.getTime();
    await account.provider.cancel(remote.id, { quiet, note: reasonOf(ctx, row, !quiet) });
    await invalidateDays(ctx, [
      { calendarId: state.calendarId, at: toMinute(state.startAt), timeZone: state.timeZone },
    ]);
    return row;
  }
  if (!row.pendingChange && topicOf(row, state) === null) return writeLocation(ctx, account.provider, row, remote);
  const { calendars } = await getCatalogue(ctx);
  const after = await applyRemote(ctx, account, row, { remote, calendars, repairs });
  return after && writeLocation(ctx, account.provider, after, remote);
}

/**
 * Applies the provider's response to a call; when the row has changed since it was read as `seen`, fetches both again.
 */
export const applyProviderResponse = async (
  ctx: Context,
  account: SchedulingAccount,
  seen: Appointment,
  response: { remote: ProviderAppointment; calendars: Calendar[] },
): Promise<Appointment | null> =>
  (await applyRemote(ctx, account, seen, response)) ?? syncKnownAppointment(ctx, account, response.remote.id);

export const findByProviderId = (ctx: Context, providerAppointmentId: number): Promise<Appointment | null> =>
  ctx.db.appointment.findFirst({ where: { tenantId: ctx.tenantId, providerAppointmentId } });

/**
 * Finds a local booking whose response was lost or is still in flight by the link in its Location. The row has no
 * provider id yet, so the provider's state cannot be older than the row.
 */
export async function findByLink(ctx: Context, remote: ProviderAppointment): Promise<Appointment | null> {
  const tokens = remote.fieldValues.flatMap((value) => tokenOfLink(value, ctx.tenantId) ?? []);
  if (tokens.length === 0) return null;
  const videoToken = { in: tokens };
  return ctx.db.appointment.findFirst({
    where: { tenantId: ctx.tenantId, videoToken, providerAppointmentId: null },
  });
}

type ProviderResponse = { remote: ProviderAppointment; calendars: Calendar[]; repairs?: boolean };

/**
 * Applies the provider's state to the appointment: row, claims, audit entry and event in one transaction. `seen` is the
 * row as read before the provider call; null when it has changed since, as the provider's state may be older.
 */
async function applyRemote(
  ctx: Context,
  { accountId }: SchedulingAccount,
  seen: Pick<Appointment, 'id' | 'version'>,
  { remote, calendars, repairs = false }: ProviderResponse,
): Promise<Appointment | null> {
  const change = await ctx.db.$transaction(async (tx) => {
    const before = await lockAppointment(tx, ctx.tenantId, seen.id);
    if (!before || before.version !== seen.version) return null;
    const state = providerStateOf(remote, calendars, before);
    const topic = topicOf(before, state);
    // A reschedule that the provider has made, or that a cancellation has superseded, is no longer pending.
    const isSettled = isPendingMoveTo(before, state) || state.status !== 'scheduled';
    if (!topic && !(before.pendingChange && isSettled)) return { before, after: before };
    const after = await write(tx, ctx, before, state, { accountId, topic, isSettled });
    // A change pending locally is not one that a lost webhook would have reported.
    if (repairs && topic && !before.pendingChange && before.status !== 'pending')
      await recordSchedulingRepair(tx, ctx, { accountId, objectId: after.id, what: topic });
    return { before, after };
  });
  if (!change) return null;
  if (change.after !== change.before) await invalidateChangedDays(ctx, change.before, change.after);
  return change.after;
}

async function write(
  tx: Tx,
  ctx: Context,
  before: Appointment,
  state: Columns,
  { accountId, topic, isSettled }: { accountId: string; topic: Topic | null; isSettled: boolean },
): Promise<Appointment> {
  const now = ctx.clock.now();
  const ends = isSettled || before.status !== 'scheduled';
  const after = await tx.appointment.update({
    where: { tenantId_id: { tenantId: ctx.tenantId, id: before.id } },
    data: {
      ...state,
      accountId,
      canceledAt: state.status === 'scheduled' ? null : (before.canceledAt ?? now),
      ...(state.status === 'scheduled' && { canceledBecause: null }),
      noShowDueAt: null,
      ...(state.status !== 'scheduled' && { completedAt: null }),
      // The patient is expected again.
      ...(state.startAt > now &&
        state.startAt.getTime() !== before.startAt.getTime() && { checkedInAt: null, completedAt: null }),
      ...(ends && { pendingChange: Prisma.DbNull }),
      version: { increment: 1 },
      updatedAt: now,
    },
  });
  await holdClaims(tx, ctx, after);
  // The outcome is known, so the resolve job is not needed.
  if (ends) await dequeue(tx, resolveKey(before.id));
  if (topic) await recordChange(tx, contextOfAuthor(ctx, before, state), after, topic);
  return after;
}

/**
 * Invalidates the days with freed slots, which must be fetched again; a booked slot is already excluded by its claim.
 */
async function invalidateChangedDays(ctx: Context, before: Appointment, after: Appointment): Promise<void> {
  const moved = before.startAt.getTime() !== after.startAt.getTime() || before.calendarId !== after.calendarId;
  const freed = before.status === 'scheduled' && after.status !== 'scheduled';
  if (!moved && !freed) return;
  const times = [before, after].map(({ calendarId, startAt, timeZone }) => ({
    calendarId,
    at: toMinute(startAt),
    timeZone,
  }));
  await invalidateDays(ctx, moved ? times : times.slice(0, 1));
}

/**
 * Writes the location at the provider for an appointment made in its console and for an exchanged link. When the
 * provider rejects it, the next sync makes another attempt.
 */
export async function writeLocation(
  ctx: Context,
  provider: SchedulingProvider,
  row: Appointment,
  remote: ProviderAppointment,
): Promise<Appointment> {
  if (row.status !== 'scheduled' || row.location === null) return row;
  if (remote.location !== null && !isStaleLink(remote, row)) return row;
  const { types } = await getCatalogue(ctx);
  const fieldId = types.find(({ id }) => id === row.appointmentTypeId)?.locationFieldId ?? null;
  if (fieldId === null) return row;
  try {
    await provider.setLocation(remote.id, { fieldId, value: row.location });
  } catch (error) {
    if (!(error instanceof SchedulingError)) throw error;
    ctx.log.warn({ appointmentId: row.id, err: error.message }, 'the location could not be written at the provider');
  }
  return row;
}

/** True when the appointment is at an account that was replaced by another; no calls are made to that account. */
export const isOfFormerAccount = (
  { accountId }: Pick<Appointment, 'accountId'>,
  account: { accountId: string },
): boolean => accountId !== null && accountId !== account.accountId;

/** Notes that the provider has a no-show, or will not get it, and frees the rest of its slot. */
export async function settleNoShow(ctx: Context, { id }: Pick<Appointment, 'id'>): Promise<Appointment | null> {
  const settled = await ctx.db.$transaction(async (tx) => {
    const before = await lockAppointment(tx, ctx.tenantId, id);
    if (!before?.noShowDueAt) return before;
    const after = await tx.appointment.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id } },
      data: { noShowDueAt: null, version: { increment: 1 } },
    });
    await holdClaims(tx, ctx, after);
    return after;
  });
  if (settled && settled.endAt > ctx.clock.now())
    await invalidateDays(ctx, [
      { calendarId: settled.calendarId, at: toMinute(settled.startAt), timeZone: settled.timeZone },
    ]);
  return settled;
}

type LocalEnd = {
  /** The text is encrypted with `ctx.cipher`. */
  reason?: { cancelReason: Uint8Array<ArrayBuffer>; cancelReasonTold: boolean } | null;
  repairs?: { accountId: string };
};

/**
 * Cancels an appointment only locally, because it is gone at the provider or its account is not connected; frees its
 * slot, and event and audit entry state the reason. One that has ended, is over or completed stays unchanged.
 *
 * @returns null when the row has changed since it was read as `seen`.
 */
export async function endLocally(
  ctx: Context,
  seen: Appointment,
  because: CanceledBecause,
  { reason, repairs }: LocalEnd = {},
): Promise<Appointment | null> {
  const now = ctx.clock.now();
  if (seen.status !== 'scheduled' || seen.completedAt || seen.endAt <= now) return seen;
  const ended = await ctx.db.$transaction(async (tx) => {
    const before = await lockAppointment(tx, ctx.tenantId, seen.id);
    if (!before || before.version !== seen.version) return null;
    const after = await tx.appointment.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id: before.id } },
      data: {
        status: 'canceled',
        canceledAt: now,
        canceledBecause: because,
        ...reason,
        pendingChange: Prisma.DbNull,
        version: { increment: 1 },
        updatedAt: now,
      },
    });
    await holdClaims(tx, ctx, after);
    await recordChange(tx, contextOfAuthor(ctx, before, after), after, 'canceled');
    if (repairs) await recordSchedulingRepair(tx, ctx, { ...repairs, objectId: after.id, what: 'gone' });
    return after;
  });
  const { calendarId, startAt, timeZone } = seen;
  if (ended) await invalidateDays(ctx, [{ calendarId, at: toMinute(startAt), timeZone }]);
  return ended;
}

/**
 * Looks up a booking with an unknown outcome. The provider has no idempotency key, so the booking is identified by its
 * unique video link. The days before and after cover any time zone's reading of "day".
 */
export async function findAtProvider(
  ctx: Context,
  provider: SchedulingProvider,
  row: Pick<Appointment, 'calendarId' | 'startAt' | 'videoToken'>,
): Promise<ProviderAppointment | null> {
  const day = localDay(toMinute(row.startAt), 'UTC');
  const near = { calendarId: row.calendarId, firstDay: addDays(day, -1), lastDay: addDays(day, 1) };
  const { items, unreadable } = await provider.appointmentsBetween(near, { urgent: true });
  const isOurs = (value: string) => tokenOfLink(value, ctx.tenantId) === row.videoToken;
  const match = items.find(({ fieldValues }) => fieldValues.some(isOurs));
  if (match) return match;
  // It may be one of the unreadable appointments.
  if (unreadable.length > 0)
    throw new SchedulingError('provider_error', `${SCHEDULING_PROVIDER.name} lists appointments that make no sense.`, {
      effect: 'none',
    });
  return null;
}

type Columns = ReturnType<typeof columnsOf> & { location: string | null };

export const providerStateOf = (
  remote: ProviderAppointment,
  calendars: KnownCalendar[],
  before: Appointment,
): Columns => ({
  ...columnsOf(remote, calendars, before),
  location: isStaleLink(remote, before) ? before.location : (remote.location ?? before.location),
});

type Placed = Pick<Appointment, 'tenantId' | 'location'>;

/** True when the provider has another video link than the row: the row's link was exchanged and takes precedence. */
export function isStaleLink(remote: ProviderAppointment, { tenantId, location }: Placed): boolean {
  const remoteLocation = remote.location;
  return (
    remoteLocation !== location &&
    tokenOfLink(remoteLocation, tenantId) !== null &&
    tokenOfLink(location, tenantId) !== null
  );
}

/**
 * True when an upcoming appointment that was canceled only locally, while its account was not connected, is still
 * booked at the provider: the cancellation must be repeated there.
 */
export const mustCancelAtProvider = (row: Appointment, state: Columns, now: Date): boolean =>
  row.status === 'canceled' &&
  row.canceledBecause === 'former_account' &&
  state.status === 'scheduled' &&
  state.endAt > now;

const UNCONFIRMED = ['pending', 'failed'];

/**
 * Returns the topic of the event for the difference between the row and the provider's state, or null when they agree.
 * A cancellation is never reverted, except one recorded because the appointment seemed gone.
 */
export function topicOf(row: Appointment, state: Columns): Topic | null {
  if (UNCONFIRMED.includes(row.status)) return state.status === 'scheduled' ? 'scheduled' : 'canceled';
  if (row.status !== 'scheduled') {
    if (row.canceledBecause === 'gone_at_provider' && state.status === 'scheduled') return 'scheduled';
    // A no-show that the provider does not have yet does not apply to another time.
    if (row.noShowDueAt && state.status === 'scheduled' && row.startAt.getTime() !== state.startAt.getTime())
      return 'rescheduled';
    return row.status === 'canceled' && state.status === 'no_show' ? 'changed' : null;
  }
  if (state.status !== 'scheduled') return state.status === 'canceled' ? 'canceled' : 'changed';
  if (row.startAt.getTime() !== state.startAt.getTime() || row.calendarId !== state.calendarId) return 'rescheduled';
  const agrees =
    row.endAt.getTime() === state.endAt.getTime() &&
    row.appointmentTypeId === state.appointmentTypeId &&
    row.location === state.location;
  return agrees ? null : 'changed';
}
