import type { Appointment } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { pendingChange } from './appointment-row.ts';
import { claimSlot } from './slot-claims.ts';

type Slot = { calendarId: number; startAt: Date; endAt: Date };
const sameSlot = (a: Slot, b: Slot) =>
  a.calendarId === b.calendarId &&
  a.startAt.getTime() === b.startAt.getTime() &&
  a.endAt.getTime() === b.endAt.getTime();

/**
 * Leaves the appointment with exactly the claims that its row calls for: none when it is over or canceled, else its own
 * time and the one it may be moving to. Acuity's console can force an overlap: of one calendar it is recorded without a claim, of
 * one patient with one.
 */
export async function holdClaims(tx: Tx, ctx: Context, row: Appointment): Promise<void> {
  const isLive = row.status === 'scheduled' && row.endAt > ctx.clock.now();
  const wanted: Slot[] = isLive ? [row] : [];
  const to = pendingChange(row)?.to;
  if (isLive && to) {
    const startAt = new Date(to);
    wanted.push({ ...row, startAt, endAt: new Date(startAt.getTime() + row.endAt.getTime() - row.startAt.getTime()) });
  }
  const held = await tx.slotClaim.findMany({ where: { tenantId: ctx.tenantId, appointmentId: row.id } });
  for (const { calendarId, startAt, endAt } of wanted) {
    const slot = { calendarId, startAt, endAt };
    if (held.some((claim) => sameSlot(claim, slot))) continue;
    if (!(await claimSlot(tx, ctx, { appointmentId: row.id, patientId: row.patientId, ...slot }, 'allowed')))
      ctx.log.warn({ appointmentId: row.id }, 'Acuity holds overlapping appointments on one calendar');
  }
  const superfluous = held.filter((claim) => !wanted.some((slot) => sameSlot(claim, slot)));
  if (superfluous.length > 0)
    await tx.slotClaim.deleteMany({ where: { tenantId: ctx.tenantId, id: { in: superfluous.map(({ id }) => id) } } });
}
