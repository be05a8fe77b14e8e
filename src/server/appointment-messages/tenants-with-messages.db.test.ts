import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTenant } from '#dev/testing/actors.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { type SendingBench, withMessages } from '#dev/testing/sending.ts';
import { HOUR, MINUTE } from '#server/core/clock.ts';
import { cancelAppointment } from '#server/scheduling/booking/cancel-appointment.ts';
import { queueDueMessages } from './send-due-messages.ts';
import { addTenantWithMessages, removeTenantWithoutMessages, TENANTS_WITH_MESSAGES } from './tenants-with-messages.ts';

let bench: SendingBench;
beforeAll(async () => {
  bench = await withMessages(await withClinic({ acuity: true, inbox: true }));
  await makeTenant(bench.clinic.services);
});
afterAll(() => bench?.stop());

const awaited = () => bench.clinic.services.database.tenantsOf(TENANTS_WITH_MESSAGES);

/** Runs the job of one minute and returns the tenants that it queried. */
async function runMinute(when: Date): Promise<string[]> {
  const services = bench.at(when);
  const queried = new Set<string>();
  const { database } = services;
  const forTenant = (tenantId: string) => {
    queried.add(tenantId);
    return database.forTenant(tenantId);
  };
  await queueDueMessages({ ...services, database: { ...database, forTenant } });
  return [...queried];
}
const jobs = () =>
  bench.clinic.services.database.system.$queryRaw<object[]>`
    delete from graphile_worker._private_jobs where key = ${`send_visit_messages:${bench.clinic.tenant.id}`} returning id`;

test('a tenant is queried every minute only while it has planned messages', async () => {
  const own = bench.clinic.tenant.id;
  expect(await runMinute(new Date())).toEqual([]);
  const { appointment, startAt } = await bench.booked();
  await bench.settle();
  await jobs();
  expect(await runMinute(new Date())).toEqual([own]);
  expect(await jobs()).toEqual([]);
  expect(await runMinute(new Date(startAt.getTime() - HOUR))).toEqual([own]);
  expect(await jobs()).toHaveLength(1);
  await cancelAppointment(bench.clinic.app(), { id: appointment.id });
  await bench.settle();
  await runMinute(new Date());
  expect(await awaited()).toEqual([]);
  expect(await runMinute(new Date())).toEqual([]);
});

test('a tenant that is planning concurrently stays registered', async () => {
  const { services, ctx, tenant } = bench.clinic;
  await ctx.db.visitMessage.deleteMany({});
  await ctx.db.$transaction(async (tx) => {
    await addTenantWithMessages(tx, tenant.id);
    await removeTenantWithoutMessages(services, tenant.id);
  });
  expect(await awaited()).toEqual([tenant.id]);
  await removeTenantWithoutMessages(services, tenant.id);
  expect(await awaited()).toEqual([]);
});

test('a cancellation during the delivery of the confirmation is sent', async () => {
  const { email, appointment } = await bench.booked();
  await bench.runPlans();
  const { ctx } = bench.clinic;
  let end = () => {};
  const isOn = new Promise<void>((resolve) => {
    end = resolve;
  });
  let markClaimed = () => {};
  const isClaimed = new Promise<void>((resolve) => {
    markClaimed = resolve;
  });
  // Simulates a delivery in progress that has read the appointment before the cancellation.
  const sending = ctx.db.$transaction(async (tx) => {
    const which = { appointmentId: appointment.id, kind: 'confirmation' };
    await tx.visitMessage.updateMany({ where: which, data: { state: 'sending', claimedAt: new Date(), tries: 1 } });
    markClaimed();
    await isOn;
  });
  await isClaimed;
  await cancelAppointment(bench.clinic.app(), { id: appointment.id });
  const planning = bench.runPlans();
  setTimeout(end, 300);
  await Promise.all([sending, planning]);
  await bench.settle();
  expect(bench.mailsTo(email).map(({ subject }) => /canceled/.test(subject))).toEqual([true]);
});

test('an unreachable mail server is not called for a while, after a few attempts', async () => {
  const { clinic } = bench;
  await clinic.ctx.db.visitMessage.deleteMany({});
  for (let count = 0; count < 6; count += 1) await bench.booked();
  await bench.runPlans();
  const [first] = await clinic.ctx.db.visitMessage.findMany({ where: { kind: 'confirmation' } });
  await bench.sendBy('smtp://127.0.0.1:9');
  const rows = await clinic.ctx.db.visitMessage.findMany({ where: { kind: 'confirmation' } });
  expect(rows).toHaveLength(6);
  expect(rows.filter(({ tries }) => tries > 0).length).toBeLessThanOrEqual(4);
  expect(rows.every(({ state }) => state === 'planned')).toBe(true);
  await bench.send(new Date(first!.dueAt.getTime() + 5 * MINUTE));
  const states = await clinic.ctx.db.visitMessage.groupBy({ by: ['state'], where: { kind: 'confirmation' } });
  expect(states.map(({ state }) => state)).toEqual(['sent']);
});
