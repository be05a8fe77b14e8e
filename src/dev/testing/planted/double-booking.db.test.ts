import { afterEach, beforeEach, expect, test } from 'vitest';
import { newId } from '#server/core/ids.ts';
import { SANDBOX, type Sandbox, withClinic } from '../clinic.ts';
import { differencesToAcuity } from '../invariants/acuity-truth.ts';
import { countWinners, findBookingViolations, findOverlaps } from '../invariants/bookings.ts';
import { connectTo } from '../invariants/tenant-walk.ts';
import { LOCATION_FIELD } from '../scheduling.ts';
import { insertUnmatched } from '../unmatched-booking.ts';

const RACERS = 16;
const slot = { calendarId: 11, startAt: new Date('2027-03-01T15:00:00Z'), endAt: new Date('2027-03-01T15:30:00Z') };
let clinic: Sandbox;
beforeEach(async () => {
  clinic = await withClinic(SANDBOX);
});
afterEach(() => clinic?.stop());

async function plant(sql: string): Promise<void> {
  const owner = await connectTo(clinic.database.ownerUrl);
  await owner.query(sql);
  await owner.end();
}
const claims = () => clinic.ctx.db.slotClaim.findMany();

test('intact: one concurrent claim gets a slot, and no claims overlap', async () => {
  expect(await countWinners(clinic.ctx, slot, RACERS)).toBe(1);
  expect(findOverlaps(await claims())).toEqual([]);
});

test('B1, B2: detects a missing exclusion constraint', async () => {
  await plant('alter table slot_claims drop constraint slot_claims_no_overlap');
  expect(await countWinners(clinic.ctx, slot, RACERS)).toBeGreaterThan(1);
  expect(findOverlaps(await claims())).not.toEqual([]);
  expect((await findBookingViolations(clinic)).join()).toContain('overlaps');
});

test('B1: detects a constraint that ignores overlaps with another start time', async () => {
  await plant(`alter table slot_claims drop constraint slot_claims_no_overlap;
    alter table slot_claims add constraint slot_claims_no_overlap unique (tenant_id, calendar_id, start_at)`);
  const later = { ...slot, startAt: new Date(slot.startAt.getTime() + 10 * 60_000) };
  expect(await countWinners(clinic.ctx, slot, 2)).toBe(1);
  expect(await countWinners(clinic.ctx, later, 2)).toBe(1);
  expect(findOverlaps(await claims())).toHaveLength(1);
});

test('B1: detects a constraint that ignores bookings without a patient', async () => {
  const hold = async () => {
    const { db, tenantId } = clinic.ctx;
    const unmatchedId = await insertUnmatched(clinic.ctx);
    await db.slotClaim.createMany({
      data: [{ id: newId(), tenantId, unmatchedId, ...slot, createdAt: new Date() }],
      skipDuplicates: true,
    });
  };
  await hold();
  expect(await countWinners(clinic.ctx, slot, 2)).toBe(0);
  await clinic.ctx.db.slotClaim.deleteMany();
  await plant(`alter table slot_claims drop constraint slot_claims_no_overlap;
    alter table slot_claims add constraint slot_claims_no_overlap exclude using gist (
      tenant_id with =, calendar_id with =, tstzrange(start_at, end_at) with &&, appointment_id with <>)`);
  await hold();
  expect(await countWinners(clinic.ctx, slot, 2)).toBe(1);
});

test('B1: detects an appointment without a claim, a claim without an appointment, and a claim at another time', async () => {
  const { ctx, acuity } = clinic;
  await countWinners(ctx, slot, 1);
  const { id } = await ctx.db.appointment.findFirstOrThrow();
  const differences = () =>
    differencesToAcuity(ctx, Object.values(acuity.emulator.world.state.accounts)[0]!.appointments);
  const change = (of: 'appointment' | 'slotClaim', data: object) =>
    of === 'appointment' ? ctx.db.appointment.updateMany({ data }) : ctx.db.slotClaim.updateMany({ data });
  expect(await differences()).toEqual([]);
  await change('slotClaim', { endAt: new Date(slot.endAt.getTime() + 60_000) });
  const away = `${id} holds ${slot.startAt.toISOString()}, where it is not`;
  expect(await differences()).toEqual([`${id} does not hold its time, which is free`, away]);
  await change('slotClaim', slot);
  await change('appointment', { status: 'canceled' });
  expect(await differences()).toEqual([away]);
  await change('appointment', { status: 'scheduled' });
  await ctx.db.slotClaim.deleteMany();
  expect(await differences()).toEqual([`${id} does not hold its time, which is free`]);
});

test('detects a Location that is missing or different at Acuity', async () => {
  const { ctx } = clinic;
  await countWinners(ctx, slot, 1);
  await ctx.db.appointment.updateMany({ data: { providerAppointmentId: 1, location: 'here' } });
  const differencesWith = (...answers: { fieldID: number; value: string }[]) => {
    const [startAt, endAt] = [slot.startAt.getTime(), slot.endAt.getTime()];
    return differencesToAcuity(ctx, [{ ...slot, id: 1, startAt, endAt, canceled: false, answers } as never]);
  };
  expect(await differencesWith({ fieldID: LOCATION_FIELD, value: 'here' })).toEqual([]);
  expect(await differencesWith()).toEqual(['1 takes place at null there and at here here']);
  expect(await differencesWith({ fieldID: LOCATION_FIELD, value: 'there' })).toEqual([
    '1 takes place at there there and at here here',
  ]);
});
