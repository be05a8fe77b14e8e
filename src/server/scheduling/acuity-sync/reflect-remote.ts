import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import { Prisma, type Tx } from '#server/core/db.ts';
import { record } from '#server/core/record.ts';
import { toMinute } from '#server/core/zone.ts';
import { endIfTooLate } from '#server/patients/queue-end-of-care.ts';
import type { AcuityAppointment } from '#server/providers/acuity.ts';
import { lockAppointment, pendingChange } from '../appointments/appointment-row.ts';
import { presentAppointment } from '../appointments/present-appointment.ts';
import { holdClaims } from '../appointments/slot-claims.ts';
import { spoilDays } from '../availability/availability-days.ts';
import type { Calendar } from '../catalogue/catalogue.ts';
import { locationOf, type Topic, topicOf, type WhatAcuitySays, whatAcuitySays } from './what-acuity-says.ts';

/**
 * Makes our appointment what Acuity says it is: row, claims, audit entry and event in one transaction. `seen` is the
 * row as it was before Acuity was asked: when it has changed since, Acuity's answer may be the older one, nothing is
 * done and null comes back.
 */
export async function reflectRemote(
  ctx: Context,
  seen: Pick<Appointment, 'id' | 'version'>,
  remote: AcuityAppointment,
  calendars: Calendar[],
): Promise<Appointment | null> {
  const change = await ctx.db.$transaction(async (tx) => {
    const before = await lockAppointment(tx, ctx.tenantId, seen.id);
    if (!before || before.version !== seen.version) return null;
    const said = { ...whatAcuitySays(remote, calendars), location: locationOf(remote) ?? before.location };
    const topic = topicOf(before, said);
    // A move that Acuity has made, or that a cancellation has overtaken, waits no more.
    const isSettled = pendingChange(before)?.to === said.startAt.toISOString() || said.status !== 'scheduled';
    if (!topic && !(before.pendingChange && isSettled)) return { before, after: before };
    return { before, after: await write(tx, ctx, before, said, { topic, isSettled }) };
  });
  if (!change) return null;
  if (change.after !== change.before) await spoil(ctx, change.before, change.after);
  return change.after;
}

async function write(
  tx: Tx,
  ctx: Context,
  before: Appointment,
  said: WhatAcuitySays,
  { topic, isSettled }: { topic: Topic | null; isSettled: boolean },
): Promise<Appointment> {
  const now = ctx.clock.now();
  const after = await tx.appointment.update({
    where: { tenantId_id: { tenantId: ctx.tenantId, id: before.id } },
    data: {
      ...said,
      canceledAt: said.status === 'scheduled' ? null : (before.canceledAt ?? now),
      ...((isSettled || before.status !== 'scheduled') && { pendingChange: Prisma.DbNull }),
      version: { increment: 1 },
      updatedAt: now,
    },
  });
  await holdClaims(tx, ctx, after);
  if (topic)
    await record(tx, ctx, {
      action: `appointments.${topic}`,
      object: { type: 'Appointment', id: after.id },
      patientId: after.patientId,
      event: `appointment.${topic}`,
      payload: presentAppointment(ctx, after),
      isNews: true,
    });
  if (topic === 'scheduled' || topic === 'rescheduled') await endIfTooLate(tx, ctx, after.patientId);
  return after;
}

/** What a booking takes off the offer its claim already does; what becomes free must be asked for again. */
async function spoil(ctx: Context, before: Appointment, after: Appointment): Promise<void> {
  const moved = before.startAt.getTime() !== after.startAt.getTime() || before.calendarId !== after.calendarId;
  const freed = before.status === 'scheduled' && after.status !== 'scheduled';
  if (!moved && !freed) return;
  const times = [before, after].map(({ calendarId, startAt, timeZone }) => ({
    calendarId,
    at: toMinute(startAt),
    timeZone,
  }));
  await spoilDays(ctx, moved ? times : times.slice(0, 1));
}
