import type { Page } from '#contract/conventions.ts';
import type { AppointmentView, ListAppointmentsInput } from '#contract/scheduling.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Prisma } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { checkPaging, pageSize, toPage } from '#server/core/paging.ts';
import { SHOWN } from './appointment-row.ts';
import { auditRead } from './audit-read.ts';
import { presentAppointment } from './present-appointment.ts';

/** Those that took or take place: a patient who did not come was booked all the same. */
const BOOKED = ['scheduled', 'no_show'];

/** Appointments, the latest time first; canceled ones only when `status` asks. A patient must name itself. */
export async function listAppointments(ctx: Context, input: ListAppointmentsInput): Promise<Page<AppointmentView>> {
  requireScope(ctx.actor, 'appointments:read');
  requireOwn(ctx, input);
  checkPaging(input);
  await auditRead(ctx, 'appointments.list', '*');
  const where = filter(ctx.tenantId, input);
  const size = pageSize(input);
  const present = (row: Parameters<typeof presentAppointment>[1]) => presentAppointment(ctx, row);
  const back = input.ending_before !== undefined;
  const direction = back ? 'asc' : 'desc';
  const orderBy = [{ startAt: direction }, { id: direction }] as const;
  if (input.page !== undefined) {
    const [rows, count] = await Promise.all([
      ctx.db.appointment.findMany({ where, orderBy: [...orderBy], take: size, skip: (input.page - 1) * size }),
      ctx.db.appointment.count({ where }),
    ]);
    const totals = { count, pages: Math.max(1, Math.ceil(count / size)), page: input.page };
    return { ...toPage(rows, input, present), totals };
  }
  const after = await cursor(ctx, input, back);
  const rows = await ctx.db.appointment.findMany({
    where: after ? { AND: [where, after] } : where,
    orderBy: [...orderBy],
    take: size + 1,
  });
  return toPage(rows, input, present);
}

function requireOwn({ actor }: Context, input: ListAppointmentsInput): void {
  if (actor.kind !== 'patient') return;
  const named = [...(input.patient_id === undefined ? [] : [input.patient_id]), ...(input.attendee_ids ?? [])];
  if (named.length > 0 && named.every((id) => id === actor.patientId)) return;
  throw refuse('forbidden', 'A patient lists its own appointments: set patient_id to your own id.', {
    source: { pointer: '/patient_id' },
  });
}

function filter(tenantId: string, input: ListAppointmentsInput): Prisma.AppointmentWhereInput {
  const { patient_id, attendee_ids, scheduled_after, scheduled_before, status } = input;
  return {
    tenantId,
    status: status ?? { in: BOOKED },
    ...(patient_id !== undefined && { patientId: patient_id }),
    ...(attendee_ids && { AND: { patientId: { in: attendee_ids } } }),
    ...((scheduled_after !== undefined || scheduled_before !== undefined) && {
      startAt: {
        ...(scheduled_after !== undefined && { gte: new Date(scheduled_after) }),
        ...(scheduled_before !== undefined && { lte: new Date(scheduled_before) }),
      },
    }),
  };
}

async function cursor(
  ctx: Context,
  input: ListAppointmentsInput,
  back: boolean,
): Promise<Prisma.AppointmentWhereInput | null> {
  const id = input.starting_after ?? input.ending_before;
  if (id === undefined) return null;
  const row = isId(id)
    ? await ctx.db.appointment.findFirst({
        where: {
          tenantId: ctx.tenantId,
          id,
          status: { in: SHOWN },
          ...(ctx.actor.kind === 'patient' && { patientId: ctx.actor.patientId }),
        },
        select: { id: true, startAt: true },
      })
    : null;
  if (!row)
    throw refuse('invalid_parameter', 'The cursor names no appointment.', {
      source: { parameter: back ? 'ending_before' : 'starting_after' },
    });
  const { startAt } = row;
  return back
    ? { startAt: { gte: startAt }, OR: [{ startAt: { gt: startAt } }, { id: { gt: row.id } }] }
    : { startAt: { lte: startAt }, OR: [{ startAt: { lt: startAt } }, { id: { lt: row.id } }] };
}
