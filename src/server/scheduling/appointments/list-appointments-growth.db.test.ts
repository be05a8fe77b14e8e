import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ListAppointmentsInput } from '#contract/scheduling.ts';
import { asApplication } from '#dev/testing/actors.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { countRowsRead } from '#dev/testing/query-plan.ts';
import { listAppointments } from './list-appointments.ts';

const SIZE = 20;
let clinic: Clinic;
let owner: pg.Client;
beforeAll(async () => {
  clinic = await withClinic();
  owner = new pg.Client(clinic.database.ownerUrl);
  await owner.connect();
  // As many upcoming as past ones; one in ten is canceled, one in twenty a no-show, which few of the upcoming are.
  await owner.query(
    `insert into appointments (id, tenant_id, patient_id, appointment_type_id, appointment_type, calendar_id, calendar,
       start_at, end_at, time_zone, video_token, status)
     select gen_random_uuid(), $1, $2, 1, 'Consultation', n % 20, 'Dr. Example', start, start + interval '30 minutes', 'UTC',
       gen_random_uuid(), case when n % 10 = 1 then 'canceled' when n % 20 = 2 and n < 4000 then 'no_show' else 'scheduled' end
     from generate_series(1, 8000) n, lateral (select now() + interval '1 hour' * (n - 4000.25) as start) as given`,
    [clinic.tenant.id, await clinic.patient()],
  );
  await owner.query('analyze appointments');
});
afterAll(async () => {
  await owner?.end();
  await clinic?.stop();
});

/** A list of some statuses reads at most a page, and one more row, of each. */
test.each([
  ['every booked one', {}, 1],
  ['every status, upcoming first', { sort_by: 'next', status: 'scheduled,canceled,no_show' }, 1],
  ['upcoming', { period: 'upcoming', sort_by: 'from_date' }, 1],
  ['past', { period: 'past' }, 1],
  ['past or canceled', { period: 'past_or_canceled' }, 3],
  ['past or canceled, from the earliest', { period: 'past_or_canceled', sort_by: 'from_date' }, 3],
  ['canceled or no-show', { status: 'canceled,no_show' }, 2],
])('a page reads no more rows than it shows: %s', async (_name, input, statuses) => {
  const ctx = asApplication(clinic.services, clinic.tenant);
  const query = ListAppointmentsInput.parse({ ...input, size: SIZE });
  const read = await countRowsRead(owner, clinic.database, ctx, 'appointments', (one) => listAppointments(one, query));
  // Those of other statuses in between, and for upcoming ones those of the last day, are passed over.
  expect(read).toBeLessThanOrEqual((SIZE + 1) * statuses * 1.5 + 24);
});
