import { afterAll, beforeAll, expect, test } from 'vitest';
import { asApplication } from '#dev/testing/actors.ts';
import { type Booking, withBooking } from '#dev/testing/booking.ts';
import { withClinic } from '#dev/testing/clinic.ts';
import { connectTo } from '#dev/testing/invariants/tenant-walk.ts';
import {
  describeScans,
  explaining,
  type PlanNode,
  pagesTouchedBy,
  rowsReadBy,
  scansOf,
} from '#dev/testing/query-plan.ts';
import { FOLLOW_UP, ROWAN } from '#dev/testing/scheduling.ts';
import type { Context } from '#server/core/context.ts';
import { listAvailability } from './list-availability.ts';

const LONG = process.env.PROVE === '1';
const SIZES = LONG ? [1_000, 10_000, 100_000, 1_000_000] : [1_000, 30_000];
/** Upper bound: none of the generated claims is in the week; a table this small is read as a whole. */
const MAX_CLAIMS = 150;
/** A deeper index adds one page per descent. */
const MAX_MORE_PAGES = 5;

let clinic: Booking;
beforeAll(async () => {
  clinic = await withBooking(await withClinic({ acuity: true, env: { ACUITY_RENEW_SECONDS: '86400' } }));
});
afterAll(() => clinic.stop());

test(`a week of availability reads as much among ${SIZES.at(-1)} appointments as among ${SIZES[0]}`, async () => {
  const owner = await connectTo(clinic.database.ownerUrl);
  const { tenantId } = clinic.ctx;
  const from_date = clinic.nextDay();
  let plans: PlanNode[] = [];
  const explained = (ctx: Context): Context => explaining(ctx, (plan) => plans.push(plan));
  const list = (ctx: Context) => listAvailability(ctx, { appointment_type_id: FOLLOW_UP, from_date, partial: true });
  let first = await list(clinic.app());
  while (first.missing.length > 0) first = await list(clinic.app());
  const { items } = first;
  const measured: { appointments: number; pages: number }[] = [];
  const rowsOfDays = new Set<number>();
  // With statistics of its few rows the planner would scan the whole table.
  await owner.query('alter table availability_days set (autovacuum_enabled = false)');
  let held = 0;
  for (const size of SIZES) {
    // One in ten is upcoming and claims a slot of the tenant's calendars after the week; the others are over.
    await owner.query(
      `with made as (
         insert into appointments (id, tenant_id, patient_id, appointment_type_id, appointment_type, calendar_id, calendar,
           start_at, end_at, time_zone, video_token, status, updated_at)
         select gen_random_uuid(), $1, $2, ${FOLLOW_UP}, 'Follow-up visit', ${ROWAN} + n / 10 % 3, 'Another', at, at + interval '30 minutes',
           'America/New_York', gen_random_uuid()::text, 'scheduled', now()
         from (select n, case when n % 10 = 0 then now() + interval '60 days' + n * interval '6 minutes' else now() - n * interval '10 minutes' end as at
           from generate_series($3::int, $4::int) n) as times
         returning id, calendar_id, start_at, end_at)
       insert into slot_claims (id, tenant_id, appointment_id, calendar_id, start_at, end_at)
       select gen_random_uuid(), $1, id, calendar_id, start_at, end_at from made where start_at > now()
       on conflict do nothing`,
      [tenantId, clinic.patientId, held + 1, size],
    );
    held = size;
    await owner.query('vacuum (analyze) appointments');
    await owner.query('vacuum (analyze) slot_claims');
    plans = [];
    expect((await list(explained(asApplication(clinic.services, clinic.tenant)))).items).toEqual(items);
    const report = plans.map(describeScans).join('; ');
    const [days, ...others] = plans.flatMap(scansOf);
    expect(days, report).toMatchObject({ 'Index Name': 'availability_days_pkey' });
    expect(new Set(others.map((scan) => scan['Relation Name'] ?? 'slot_claims')), report).toEqual(
      new Set(['slot_claims']),
    );
    rowsOfDays.add(rowsReadBy(days!));
    expect(
      others.reduce((sum, scan) => sum + rowsReadBy(scan), 0),
      report,
    ).toBeLessThanOrEqual(MAX_CLAIMS);
    measured.push({ appointments: size, pages: plans.reduce((sum, plan) => sum + pagesTouchedBy(plan), 0) });
  }
  await owner.end();
  expect(rowsOfDays.size).toBe(1);
  if (!LONG) return;
  console.info(`availability: pages that a read touched ${JSON.stringify(measured)}`);
  for (const [n, { pages }] of measured.slice(1).entries())
    expect(pages).toBeLessThanOrEqual(measured[0]!.pages + MAX_MORE_PAGES * (n + 1));
}, 1_200_000);
