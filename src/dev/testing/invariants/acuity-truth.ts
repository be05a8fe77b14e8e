import type { Appointment as AtAcuity } from '#emulators/acuity/state.ts';
import type { Context } from '#server/core/context.ts';
import { LOCATION_FIELD } from '../scheduling.ts';

const DAY = 24 * 60 * 60 * 1000;
type Held = { id: string; calendarId: number; startAt: Date; endAt: Date; status: string };

/**
 * Lists the differences between both sides: live appointments on one side only or at different times, pending outcomes,
 * a visit link booked twice, and live appointments and claims that do not match or overlap. Covers future appointments,
 * and the final status of those of the last day.
 */
export async function differencesToAcuity(ctx: Context, booked: AtAcuity[], now = new Date()): Promise<string[]> {
  const { tenantId, db } = ctx;
  const differences: string[] = [];
  const lately = { tenantId, endAt: { gt: new Date(now.getTime() - DAY) } };
  const rows = await db.appointment.findMany({ where: lately });
  const unmatched = await db.unmatchedAppointment.findMany({ where: lately });
  const there = new Map(booked.map((one) => [one.id, one]));
  const here = new Map(
    [...rows, ...unmatched].flatMap((row) =>
      row.providerAppointmentId === null ? [] : [[row.providerAppointmentId, row] as const],
    ),
  );
  for (const [id, one] of there) {
    const row = here.get(id);
    const status = one.canceled ? (one.noShow ? 'no_show' : 'canceled') : 'scheduled';
    if (!row) {
      if (!one.canceled && one.endAt > now.getTime()) differences.push(`${id} is booked there only`);
    } else if (row.status !== status) differences.push(`${id} is ${status} there and ${row.status} here`);
    else if (!one.canceled && row.startAt.getTime() !== one.startAt) differences.push(`${id} is at another time`);
    else if (!one.canceled && row.calendarId !== one.calendarId) differences.push(`${id} is on another calendar`);
  }
  for (const [id, row] of here)
    if (row.status === 'scheduled' && row.endAt > now && !there.has(id)) differences.push(`${id} is booked here only`);
  for (const { id, status, pendingChange } of rows)
    if (status === 'pending' || pendingChange) differences.push(`${id} is under way still`);
  const placeOf = (one?: AtAcuity) => one?.answers.find(({ fieldID }) => fieldID === LOCATION_FIELD)?.value || null;
  for (const { status, endAt, location, providerAppointmentId } of rows) {
    const one = there.get(providerAppointmentId ?? 0);
    if (status === 'scheduled' && endAt > now && one && !one.canceled && placeOf(one) !== location)
      differences.push(`${one.id} takes place at ${placeOf(one)} there and at ${location} here`);
  }
  const links = booked.filter(({ canceled }) => !canceled).flatMap(({ answers }) => answers.map(({ value }) => value));
  for (const link of new Set(links))
    if (links.filter((one) => one === link).length > 1) differences.push(`${link} is booked twice`);
  const live = [...rows, ...unmatched].filter(({ status, endAt }) => status === 'scheduled' && endAt > now);
  return [...differences, ...(await claimDifferences(ctx, live, now))];
}

/**
 * Lists live appointments and claims that do not match, and overlapping claims of different holders in one calendar,
 * checked independently of the constraint. An appointment that the console booked over another has no claim while the
 * other has one.
 */
async function claimDifferences({ tenantId, db }: Context, live: Held[], now: Date): Promise<string[]> {
  const claims = (await db.slotClaim.findMany({ where: { tenantId, endAt: { gt: now } } })).map((claim) => ({
    ...claim,
    holder: (claim.appointmentId ?? claim.unmatchedId)!,
  }));
  const meet = (a: Omit<Held, 'id' | 'status'>, b: Omit<Held, 'id' | 'status'>) =>
    a.calendarId === b.calendarId && a.startAt < b.endAt && b.startAt < a.endAt;
  const isOf = (claim: (typeof claims)[number], appointment: Held) =>
    claim.holder === appointment.id &&
    claim.calendarId === appointment.calendarId &&
    claim.startAt.getTime() === appointment.startAt.getTime() &&
    claim.endAt.getTime() === appointment.endAt.getTime();
  const liveById = new Map(live.map((appointment) => [appointment.id, appointment]));
  return [
    ...live
      .filter(
        (appointment) =>
          !claims.some(
            (claim) => isOf(claim, appointment) || (claim.holder !== appointment.id && meet(claim, appointment)),
          ),
      )
      .map(({ id }) => `${id} does not hold its time, which is free`),
    ...claims
      .filter((claim) => !liveById.has(claim.holder) || !isOf(claim, liveById.get(claim.holder)!))
      .map(({ holder, startAt }) => `${holder} holds ${startAt.toISOString()}, where it is not`),
    ...claims.flatMap((a, index) =>
      claims
        .slice(index + 1)
        .filter((b) => meet(a, b) && a.holder !== b.holder)
        .map((b) => `${a.holder} and ${b.holder} hold one time`),
    ),
  ];
}
