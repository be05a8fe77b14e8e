import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { claimSlot } from '#server/scheduling/appointments/appointment.ts';
import type { Sandbox } from '../clinic.ts';

type Span = { calendarId: number; startAt: Date; endAt: Date };
const nameOf = ({ calendarId, startAt }: { calendarId: number; startAt: Date | number }) =>
  `${calendarId}@${new Date(startAt).toISOString()}`;

/** B1: returns the spans of one calendar that overlap another, ordered by start. */
export function findOverlaps(spans: Span[]): string[] {
  const sorted = [...spans].sort((a, b) => a.startAt.getTime() - b.startAt.getTime());
  return sorted.flatMap((one, index) =>
    sorted
      .slice(index + 1)
      .filter((other) => other.calendarId === one.calendarId && other.startAt < one.endAt)
      .map((other) => `${nameOf(other)} overlaps ${nameOf(one)}`),
  );
}

/**
 * B1: returns inconsistencies that must not exist once nothing is pending: unfinished appointments, live ones that
 * overlap or do not hold exactly one matching claim, and differences to Acuity.
 */
export async function findBookingViolations({ ctx: { db }, acuity }: Pick<Sandbox, 'ctx' | 'acuity'>) {
  const rows = await db.appointment.findMany({ include: { claims: true } });
  const live = rows.filter(({ status }) => status === 'scheduled');
  const violations = findOverlaps(live);
  for (const row of rows) {
    if (row.status === 'pending' || row.pendingChange) violations.push(`${row.id} is left in between`);
    const held = row.claims.map((claim) => `${nameOf(claim)}-${claim.endAt.toISOString()}`);
    const due = row.status === 'scheduled' ? [`${nameOf(row)}-${row.endAt.toISOString()}`] : [];
    if (held.join() !== due.join())
      violations.push(`${row.id} is ${row.status} and holds ${held.join(' and ') || 'nothing'}`);
  }
  const [account] = Object.values(acuity.emulator.world.state.accounts);
  const atAcuity = account!.appointments.filter(({ canceled }) => !canceled).map(nameOf);
  if (atAcuity.sort().join() !== live.map(nameOf).sort().join())
    violations.push('Acuity has other appointments than we have');
  return violations;
}

/** B2: returns how many concurrent claims of one free slot succeed; it must be one. */
export async function countWinners(ctx: Context, slot: Span, racers: number): Promise<number> {
  const appointments = Array.from({ length: racers }, () => ({ id: newId(), patientId: newId() }));
  await ctx.db.patient.createMany({
    data: appointments.map(({ patientId }) => ({ id: patientId, tenantId: ctx.tenantId })),
  });
  await ctx.db.appointment.createMany({
    data: appointments.map((one) => ({
      ...one,
      tenantId: ctx.tenantId,
      ...slot,
      appointmentTypeId: 21,
      appointmentType: 'Visit',
      calendar: 'Rowan Example',
      timeZone: 'America/New_York',
      videoToken: newId(),
      status: 'scheduled',
    })),
  });
  const attempts = appointments.map(({ id: appointmentId, patientId }) =>
    ctx.db.$transaction((tx) => claimSlot(tx, ctx, { appointmentId, patientId, ...slot })),
  );
  return (await Promise.all(attempts)).filter(Boolean).length;
}
