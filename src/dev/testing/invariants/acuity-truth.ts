import type { Appointment as AtAcuity } from '#emulators/acuity/state.ts';
import type { Context } from '#server/core/context.ts';

/**
 * What the two sides do not agree on: live visits that only one of them holds or that stand at another time, bookings of
 * ours whose outcome nobody knows, overlapping holds of one calendar, and one link booked twice. Of visits to come.
 */
export async function differencesToAcuity(ctx: Context, booked: AtAcuity[], now = new Date()): Promise<string[]> {
  const { tenantId, db } = ctx;
  const differences: string[] = [];
  const rows = await db.appointment.findMany({ where: { tenantId, endAt: { gt: now } } });
  const strangers = await db.unmatchedAppointment.findMany({ where: { tenantId, endAt: { gt: now } } });
  const there = new Map(booked.filter(({ endAt }) => endAt > now.getTime()).map((one) => [one.id, one]));
  const here = new Map(
    [...rows, ...strangers].flatMap((row) =>
      row.providerAppointmentId === null ? [] : [[row.providerAppointmentId, row] as const],
    ),
  );
  for (const [id, one] of there) {
    const row = here.get(id);
    const status = one.canceled ? (one.noShow ? 'no_show' : 'canceled') : 'scheduled';
    if (!row) {
      if (!one.canceled) differences.push(`${id} is booked there only`);
    } else if (row.status !== status) differences.push(`${id} is ${status} there and ${row.status} here`);
    else if (!one.canceled && row.startAt.getTime() !== one.startAt) differences.push(`${id} is at another time`);
    else if (!one.canceled && row.calendarId !== one.calendarId) differences.push(`${id} is on another calendar`);
  }
  for (const [id, row] of here)
    if (row.status === 'scheduled' && !there.has(id)) differences.push(`${id} is booked here only`);
  for (const { id, status, pendingChange } of rows)
    if (status === 'pending' || pendingChange) differences.push(`${id} is under way still`);
  const links = booked.filter(({ canceled }) => !canceled).flatMap(({ answers }) => answers.map(({ value }) => value));
  for (const link of new Set(links))
    if (links.filter((one) => one === link).length > 1) differences.push(`${link} is booked twice`);
  return [...differences, ...(await overlapping(ctx))];
}

/** Claims of one calendar that overlap and have different holders, judged apart from the constraint. */
async function overlapping({ tenantId, db }: Context): Promise<string[]> {
  const claims = await db.slotClaim.findMany({ where: { tenantId } });
  const holder = (claim: (typeof claims)[number]) => claim.appointmentId ?? claim.unmatchedId;
  return claims.flatMap((a, index) =>
    claims
      .slice(index + 1)
      .filter(
        (b) => a.calendarId === b.calendarId && a.startAt < b.endAt && b.startAt < a.endAt && holder(a) !== holder(b),
      )
      .map((b) => `${holder(a)} and ${holder(b)} hold one time`),
  );
}
