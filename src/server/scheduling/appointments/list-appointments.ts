import type { Page } from '#contract/conventions.ts';
import type { AppointmentView, ListAppointmentsInput, SchedulingIssue } from '#contract/scheduling.ts';
import type { Appointment } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import { DAY } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Prisma } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { beyondInstant, type PageRange, readPage } from '#server/core/paging.ts';
import { addDays, fromMinute, startOfDay } from '#server/core/zone.ts';
import { tenantZone } from '#server/patients/index.ts';
import { type KnownAccount, readKnownAccount } from '../catalogue/catalogue.ts';
import { presentAppointment, VISIBLE_STATUSES } from './appointment.ts';
import { schedulingIssueOf } from './scheduling-issue.ts';

type Where = Prisma.AppointmentWhereInput;
/** The sort key, and whether the appointment is over at this moment. */
type AppointmentKey = { at: Date; id: string; isOver: boolean };

/** The provider books nothing longer, so an appointment that is not over started after this; bounds the index scan. */
const MAX_DURATION_MS = 1 * DAY;
const notOver = (now: Date): Where => ({
  endAt: { gt: now },
  startAt: { gt: new Date(now.getTime() - MAX_DURATION_MS) },
});
const over = (now: Date): Where => ({ endAt: { lte: now }, startAt: { lte: now } });

/** Statuses of an appointment that was booked and not canceled. */
const BOOKED = ['scheduled', 'no_show'];

/**
 * Returns the conditions for a period and any named statuses. An appointment in progress is upcoming, because its link
 * is still needed; a canceled one is neither upcoming nor past.
 */
function ofPeriod({ period, status }: Pick<ListAppointmentsInput, 'period' | 'status'>, now: Date): Where[] {
  const named: Where = { status: { in: status ?? BOOKED } };
  if (period === 'upcoming') return [{ status: 'scheduled' }, notOver(now), ...(status ? [named] : [])];
  if (period === 'past') return [named, { status: { in: BOOKED } }, over(now)];
  if (period !== 'past_or_canceled') return [named];
  return [{ status: { in: status ?? [...BOOKED, 'canceled'] } }, { OR: [{ status: { not: 'scheduled' } }, over(now)] }];
}

/**
 * Returns the conditions of each status of a list without upcoming appointments: in the order of their starts they are
 * behind all upcoming ones, but in the order of a status and the start they are found at once. Null: other lists, and
 * those of patients, which are short.
 */
function statusesWithoutUpcoming(
  ctx: Context,
  { period, status, patient_id, attendee_ids }: ListAppointmentsInput,
): Where[] | null {
  if (ctx.actor.kind === 'patient' || patient_id !== undefined || attendee_ids) return null;
  if (period === 'past_or_canceled')
    return (status ?? [...BOOKED, 'canceled']).map((one) => ({
      status: one,
      ...(one === 'scheduled' && over(ctx.clock.now())),
    }));
  return period === undefined && status && !status.includes('scheduled')
    ? status.map((one) => ({ status: one }))
    : null;
}

/**
 * Reads appointments ordered by start. `next` concatenates two lists: upcoming ones, soonest first, then past ones,
 * latest first. Each is bounded by its own end of the index, so that every page costs the same.
 */
async function readInOrder(
  ctx: Context,
  list: List,
  sort_by: ListAppointmentsInput['sort_by'],
  travel: PageRange<AppointmentKey>,
): Promise<Appointment[]> {
  const { backwards, beyond } = travel;
  if (sort_by !== 'next') return readPart(ctx, list, { ...travel, ascending: (sort_by === 'from_date') !== backwards });
  const { where } = list;
  const now = ctx.clock.now();
  const parts = [
    { isOver: false, where: { AND: [where, notOver(now)] }, ascending: !backwards },
    { isOver: true, where: { AND: [where, over(now)] }, ascending: backwards },
  ];
  const rows: Appointment[] = [];
  let { offset } = travel;
  let from = beyond;
  for (const part of backwards ? parts.reverse() : parts) {
    if (from && from.isOver !== part.isOver) continue;
    const limit = travel.limit - rows.length;
    if (limit === 0) break;
    const { ascending } = part;
    const read = await readPart(ctx, { ...list, where: part.where }, { ascending, limit, offset, beyond: from });
    rows.push(...read);
    if (offset > 0) offset = Math.max(0, offset - (await ctx.db.appointment.count({ where: part.where })));
    from = null;
  }
  return rows;
}

type Part = Omit<PageRange<AppointmentKey>, 'backwards'> & { ascending: boolean };
/** `statuses`: conditions that divide the list into parts that are cheaper to read than the whole. */
type List = { where: Where; statuses: Where[] | null };

/** A numbered page costs as much as it skips, so it is read from the whole list. */
async function readPart(
  ctx: Context,
  { where, statuses }: List,
  { ascending, limit, offset, beyond }: Part,
): Promise<Appointment[]> {
  const direction = ascending ? 'asc' : 'desc';
  const read = (status: Where = {}) =>
    ctx.db.appointment.findMany({
      where: { AND: [where, status, ...(beyond ? [beyondInstant('startAt', beyond, ascending)] : [])] },
      orderBy: [{ startAt: direction }, { id: direction }],
      take: limit,
      skip: offset,
    });
  if (!statuses || offset > 0) return read();
  // An appointment whose status changes between the reads may be read twice.
  const rows = new Map((await Promise.all(statuses.map(read))).flat().map((row) => [row.id, row]));
  const sign = ascending ? 1 : -1;
  return [...rows.values()].sort((a, b) => sign * compareStarts(a, b)).slice(0, limit);
}

const compareStarts = (a: Appointment, b: Appointment): number =>
  a.startAt.getTime() - b.startAt.getTime() || (a.id < b.id ? -1 : 1);

/**
 * Lists appointments, latest first unless `sort_by` is set; canceled ones only when `status` or `period` includes them.
 * A patient sees only their own.
 */
export async function listAppointments(ctx: Context, input: ListAppointmentsInput): Promise<Page<AppointmentView>> {
  requireScope(ctx.actor, 'appointments:read');
  assertOwnPatient(ctx, input);
  const { tenantId, actor } = ctx;
  const now = ctx.clock.now();
  const account = await readKnownAccount(ctx);
  const where = await appointmentFilter(ctx, input, account);
  const statuses = statusesWithoutUpcoming(ctx, input);
  const own = {
    tenantId,
    status: { in: VISIBLE_STATUSES },
    ...(actor.kind === 'patient' && { patientId: actor.patientId }),
  };
  return readPage(
    input,
    {
      what: 'appointment',
      async keyOf(id) {
        if (!isId(id)) return null;
        const row = await ctx.db.appointment.findFirst({
          where: { ...own, id },
          select: { startAt: true, endAt: true },
        });
        return row && { at: row.startAt, id, isOver: row.endAt <= now };
      },
      read: (travel) => readInOrder(ctx, { where, statuses }, input.sort_by, travel),
      count: (take) => ctx.db.appointment.count({ where, ...(take && { take }) }),
    },
    (row) => presentAppointment(ctx, row, schedulingIssueOf(row, account, now)),
  );
}

function assertOwnPatient({ actor }: Context, { patient_id, attendee_ids }: ListAppointmentsInput): void {
  const named = [...(patient_id === undefined ? [] : [patient_id]), ...(attendee_ids ?? [])];
  if (actor.kind === 'patient' && named.some((id) => id !== actor.patientId))
    throw apiError(
      'forbidden',
      'A patient lists its own appointments: leave patient_id out, or set it to your own id.',
      {
        source: { pointer: '/patient_id' },
      },
    );
  if (patient_id !== undefined && attendee_ids && !attendee_ids.includes(patient_id))
    throw apiError('invalid_parameter', '"attendee_ids" and "patient_id" name different patients; give one of them.', {
      people: 'Choose one patient.',
      source: { pointer: '/attendee_ids' },
    });
}

/** Builds the filter shared by the list and its export. */
export async function appointmentFilter(
  ctx: Context,
  input: ListAppointmentsInput,
  account: KnownAccount,
): Promise<Prisma.AppointmentWhereInput> {
  const { tenantId, actor } = ctx;
  const { attendee_ids, scheduled_after, scheduled_before, scheduling_issue } = input;
  const { appointment_type_id, calendar_id, practitioner_id, checked_in, completed } = input;
  const patientId = actor.kind === 'patient' ? actor.patientId : input.patient_id;
  const zone = isDay(scheduled_after) || isDay(scheduled_before) ? await tenantZone(ctx) : 'UTC';
  const startsOn = (day: string) => fromMinute(startOfDay(day, zone));
  return {
    tenantId,
    AND: [
      ...ofPeriod(input, ctx.clock.now()),
      ...(attendee_ids ? [{ patientId: { in: attendee_ids } }] : []),
      ...(scheduling_issue ? [withIssue(scheduling_issue, account, ctx.clock.now())] : []),
    ],
    ...(patientId !== undefined && { patientId }),
    ...(appointment_type_id !== undefined && { appointmentTypeId: appointment_type_id }),
    ...(calendar_id !== undefined && { calendarId: calendar_id }),
    ...(practitioner_id !== undefined && { practitionerId: practitioner_id }),
    ...(checked_in !== undefined && { checkedInAt: checked_in ? { not: null } : null }),
    ...(completed !== undefined && { completedAt: completed ? { not: null } : null }),
    ...((scheduled_after !== undefined || scheduled_before !== undefined) && {
      startAt: {
        ...(scheduled_after !== undefined && {
          gte: isDay(scheduled_after) ? startsOn(scheduled_after) : new Date(scheduled_after),
        }),
        ...(scheduled_before !== undefined &&
          (isDay(scheduled_before)
            ? { lt: startsOn(addDays(scheduled_before, 1)) }
            : { lte: new Date(scheduled_before) })),
      },
    }),
  };
}

/** Matches the appointments with any of these issues. */
function withIssue(issues: SchedulingIssue[], account: KnownAccount, now: Date): Prisma.AppointmentWhereInput {
  const { connection, accountId, calendarIds } = account;
  const isConnected = connection === 'connected';
  const any: Prisma.AppointmentWhereInput[] = [];
  if (!isConnected && issues.includes('not_connected')) any.push({});
  if (isConnected && accountId !== null && issues.includes('former_account'))
    any.push({ AND: [{ accountId: { not: null } }, { accountId: { not: accountId } }] });
  if (isConnected && calendarIds && issues.includes('calendar_removed'))
    any.push({
      calendarId: { notIn: calendarIds },
      ...(accountId !== null && { OR: [{ accountId: null }, { accountId }] }),
    });
  // Prisma treats an empty OR as no condition.
  return any.length === 0 ? { id: { in: [] } } : { status: 'scheduled', ...notOver(now), OR: any };
}

const isDay = (text: string | undefined): boolean => text !== undefined && !text.includes('T');
