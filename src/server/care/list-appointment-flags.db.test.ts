import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppointmentFlagsInput } from '#contract/appointment-flags.ts';
import { MAX_FLAG_ITEMS } from '#contract/limits.ts';
import { needsAttention } from '#contract/needs-attention.ts';
import { UNPAID_STATUSES } from '#contract/subscription-status.ts';
import { SubscriptionStatus } from '#contract/subscriptions.ts';
import { asApplication, asStaff, makeTenant } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { describeScans, explaining, type PlanNode, rowsReadBy } from '#dev/testing/query-plan.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createPatient } from '#server/patients/index.ts';
import { listAppointmentFlags } from './list-appointment-flags.ts';

let clinic: Clinic;
let owner: pg.Client;
let frontDesk: Context;
beforeAll(async () => {
  clinic = await withClinic();
  owner = new pg.Client(clinic.database.ownerUrl);
  await owner.connect();
  frontDesk = asStaff(clinic.services, clinic.tenant, 'front_desk');
});
afterAll(async () => {
  await owner?.end();
  await clinic?.stop();
});

const NOW = Date.parse('2026-03-02T15:00:00Z');
const HOUR_MS = 3_600_000;
async function appointment(patientId: string, hours: number, status = 'scheduled', ctx = frontDesk): Promise<string> {
  const id = newId();
  const startAt = new Date(NOW + hours * HOUR_MS);
  await ctx.db.appointment.create({
    data: {
      id,
      tenantId: ctx.tenantId,
      patientId,
      appointmentTypeId: 1,
      appointmentType: 'Consultation',
      calendarId: 1,
      calendar: 'Dr. Example',
      startAt,
      endAt: new Date(startAt.getTime() + HOUR_MS / 2),
      timeZone: 'America/New_York',
      videoToken: id,
      status,
    },
  });
  return id;
}
const subscription = (patientId: string, status: string, ctx = frontDesk) =>
  ctx.db.subscription.create({
    data: { id: `sub_${newId()}`, tenantId: ctx.tenantId, accountId: 'acct_1', patientId, status, currency: 'usd' },
  });
async function flagsOf(ids: string[], ctx = frontDesk) {
  const flags = await listAppointmentFlags(ctx, { ids });
  return ids.map((id) => {
    const one = flags.find(({ appointment_id }) => appointment_id === id);
    return one && [one.is_first, one.is_unpaid];
  });
}

test('the first appointment has none before it that is booked or took place', async () => {
  const [ada, ben, elsewhere] = [await clinic.patient(), await clinic.patient(), await clinic.patient()];
  for (const status of ['canceled', 'no_show', 'pending', 'failed']) await appointment(ada, -48, status);
  const [first, second, third] = [
    await appointment(ada, 1),
    await appointment(ada, 30),
    await appointment(ada, 60, 'canceled'),
  ];
  const missed = await appointment(ben, 1, 'no_show');
  const again = await appointment(ben, 30);
  const pending = await appointment(elsewhere, 1, 'pending');
  expect(await flagsOf([first, second, third, missed, again, pending])).toEqual([
    [true, false],
    [false, false],
    [false, false],
    [true, false],
    [true, false],
    undefined,
  ]);
});

test('unpaid: the statuses in which a subscription needs attention because of a payment', async () => {
  for (const status of SubscriptionStatus.options) {
    const patient = await clinic.patient();
    await subscription(patient, 'canceled');
    await subscription(patient, status);
    const isUnpaid = UNPAID_STATUSES.includes(status);
    expect([status, await flagsOf([await appointment(patient, 1)])]).toEqual([status, [[true, isUnpaid]]]);
    const fields = { status, cancel_at: null, current_period_end: null, trial_end: null, payment_method: null };
    expect([status, ['not_paid', 'never_paid'].includes(needsAttention(fields, NOW) ?? '')]).toEqual([
      status,
      isUnpaid,
    ]);
  }
});

test('a reader without subscriptions:read gets null; other callers and other clinics get nothing', async () => {
  const patient = await clinic.patient();
  await subscription(patient, 'past_due');
  const id = await appointment(patient, 1);
  expect(await flagsOf([id])).toEqual([[true, true]]);
  if (!('permissions' in frontDesk.actor)) throw new Error('not a staff user');
  const permissions = new Set(frontDesk.actor.permissions);
  permissions.delete('subscriptions:read');
  expect(await flagsOf([id], { ...frontDesk, actor: { ...frontDesk.actor, permissions } })).toEqual([[true, null]]);
  permissions.delete('appointments:read');
  for (const ctx of [
    { ...frontDesk, actor: { ...frontDesk.actor, permissions } },
    asApplication(clinic.services, clinic.tenant),
  ])
    await expect(flagsOf([id], ctx)).rejects.toMatchObject({ code: 'forbidden' });
  const other = asStaff(clinic.services, await makeTenant(clinic.services), 'admin');
  expect(await flagsOf([id], other)).toEqual([undefined]);
  const ids = Array.from({ length: MAX_FLAG_ITEMS + 1 }, () => newId());
  expect(AppointmentFlagsInput.safeParse({ ids }).success).toBe(false);
  expect(AppointmentFlagsInput.safeParse({ ids: ids.slice(1) }).success).toBe(true);
});

test('reads the rows of the listed patients only, in one query among thousands', async () => {
  const ctx = asStaff(clinic.services, await makeTenant(clinic.services), 'front_desk');
  const patients: string[] = [];
  for (let n = 0; n < 20; n += 1) patients.push((await createPatient(ctx, { first_name: 'Ann' })).id);
  const values = [ctx.tenantId, patients];
  // A year of appointments, 200 for each patient, and subscriptions of which a tenth is unpaid.
  await owner.query(
    `insert into appointments (id, tenant_id, patient_id, appointment_type_id, appointment_type, calendar_id, calendar,
       start_at, end_at, time_zone, video_token, status)
     select gen_random_uuid(), $1, ($2::uuid[])[1 + n % 20], 1, 'Consultation', 1, 'Dr. Example',
       timestamptz '2026-03-02' + n * interval '2 hours', timestamptz '2026-03-02' + n * interval '2 hours 30 minutes',
       'UTC', gen_random_uuid(), 'scheduled'
     from generate_series(1, 4000) n`,
    values,
  );
  await owner.query(
    `insert into subscriptions (id, tenant_id, account_id, patient_id, status, currency)
     select 'sub_many' || n, $1, 'acct_1', ($2::uuid[])[1 + n % 20], case when n % 10 = 0 then 'past_due' else 'active' end, 'usd'
     from generate_series(1, 4000) n`,
    values,
  );
  await owner.query('analyze appointments, subscriptions');
  const plans: PlanNode[] = [];
  for (const order of ['asc', 'desc'] as const) {
    const rows = await ctx.db.appointment.findMany({ orderBy: { startAt: order }, take: 200 });
    const ids = rows.map(({ id }) => id);
    const flags = await listAppointmentFlags(
      explaining(ctx, (plan) => void plans.push(plan)),
      { ids },
    );
    expect(flags).toHaveLength(200);
    expect(flags.filter(({ is_first }) => is_first)).toHaveLength(order === 'asc' ? 20 : 0);
  }
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(describeScans(plan)).not.toContain('Seq Scan');
    expect(rowsReadBy(plan), describeScans(plan)).toBeLessThan(200 * 30);
  }
});
