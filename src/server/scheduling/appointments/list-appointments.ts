import type { Page } from '#contract/conventions.ts';
import type { AppointmentView, ListAppointmentsInput } from '#contract/scheduling.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Prisma } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';
import { isId } from '#server/core/ids.ts';
import { readPage } from '#server/core/paging.ts';
import { presentAppointment, SHOWN } from './appointment.ts';
import { ofPeriod, readInOrder } from './visits-in-order.ts';

/**
 * Appointments, the latest time first unless `sort_by` says otherwise; canceled ones only when `status` or `period` asks.
 * A patient must name itself.
 */
export async function listAppointments(ctx: Context, input: ListAppointmentsInput): Promise<Page<AppointmentView>> {
  requireScope(ctx.actor, 'appointments:read');
  requireOwn(ctx, input);
  const { tenantId, actor } = ctx;
  const now = ctx.clock.now();
  const where = filter(tenantId, input, now);
  const own = { tenantId, status: { in: SHOWN }, ...(actor.kind === 'patient' && { patientId: actor.patientId }) };
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
      read: (travel) => readInOrder(ctx, where, input, travel),
      count: (take) => ctx.db.appointment.count({ where, ...(take && { take }) }),
    },
    (row) => presentAppointment(ctx, row),
  );
}

function requireOwn({ actor }: Context, input: ListAppointmentsInput): void {
  if (actor.kind !== 'patient') return;
  const named = [...(input.patient_id === undefined ? [] : [input.patient_id]), ...(input.attendee_ids ?? [])];
  if (named.length > 0 && named.every((id) => id === actor.patientId)) return;
  throw refuse('forbidden', 'A patient lists its own appointments: set patient_id to your own id.', {
    source: { pointer: '/patient_id' },
  });
}

function filter(tenantId: string, input: ListAppointmentsInput, now: Date): Prisma.AppointmentWhereInput {
  const { patient_id, attendee_ids, scheduled_after, scheduled_before, appointment_type_id, calendar_id } = input;
  return {
    tenantId,
    AND: [...ofPeriod(input, now), ...(attendee_ids ? [{ patientId: { in: attendee_ids } }] : [])],
    ...(patient_id !== undefined && { patientId: patient_id }),
    ...(appointment_type_id !== undefined && { appointmentTypeId: appointment_type_id }),
    ...(calendar_id !== undefined && { calendarId: calendar_id }),
    ...((scheduled_after !== undefined || scheduled_before !== undefined) && {
      startAt: {
        ...(scheduled_after !== undefined && { gte: new Date(scheduled_after) }),
        ...(scheduled_before !== undefined && { lte: new Date(scheduled_before) }),
      },
    }),
  };
}
