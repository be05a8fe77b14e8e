import { readConfig } from '#server/core/config.ts';
import type { Context } from '#server/core/context.ts';
import { listAvailability } from '#server/scheduling/availability/list-availability.ts';
import { createServices } from '#server/services.ts';
import { migrateDatabase } from '../../../launcher/postgres/migrate-database.mjs';
import { prepareDatabase } from '../../../launcher/postgres/prepare-database.mjs';
import { withClient } from '../../../launcher/postgres/with-client.mjs';
import { explaining, pagesTouchedBy } from '../../testing/query-plan.ts';
import type { BenchSetup } from '../bench-setup.ts';
import type { Figures, Goal, Side } from '../job.ts';
import { quantile } from '../quantile.ts';
import { connectClinic, DAYS, dayAhead, fillMirror, TYPE } from './connect-clinic.ts';

const FEW = { name: 'warm, among 1k appointments', appointments: 1_000 };
const MANY = { name: 'warm, among 1M appointments', appointments: 1_000_000 };
const CALENDARS = Array.from({ length: 50 }, (_, n) => 100 + n);
/** The number of appointments in the requested week. */
const IN_WEEK = 100;
const READS_MS = 1_000;
const MAX_TIMES = 1.5;
/**
 * Each claim of the week looks up its appointment by id: three blocks of an index of a million rows, and the row's own.
 */
const MAX_BLOCKS = 5;

/** The cost of a clinic's history for availability requests, without HTTP, which would hide it. */
export async function amongAppointments(
  setup: BenchSetup,
  emulatorUrl: string,
  firstUserId: number,
): Promise<{ sides: Side[]; goals: Goal[]; stop(): Promise<void> }> {
  const clinics: { name: string; ctx: Context }[] = [];
  for (const [n, { name, appointments }] of [FEW, MANY].entries())
    clinics.push({ name, ctx: await openClinic(setup, emulatorUrl, firstUserId + n, appointments) });
  const mediansOf = (all: Record<string, Figures>) => [FEW, MANY].map(({ name }) => all[name]!['p50 ms']!);
  return {
    sides: clinics.map(({ name, ctx }) => ({ name, measure: () => measureReads(ctx) })),
    goals: [
      {
        words: `${MANY.name} : 1k, at most ${MAX_TIMES}`,
        of: (medians) => mediansOf(medians).reduce((few, many) => many / few),
        holds: (ratio) => ratio <= MAX_TIMES,
      },
      {
        words: `${MANY.name}, blocks for each one of the week, at most ${MAX_BLOCKS}`,
        of: (medians) => medians[MANY.name]!.blocks! / IN_WEEK,
        holds: (blocks) => blocks <= MAX_BLOCKS,
      },
    ],
    async stop() {
      for (const { ctx } of clinics) await ctx.close();
    },
  };
}

/**
 * Creates a clinic in its own database. One in a thousand of its other appointments is after the week, the rest are
 * past.
 */
async function openClinic(
  setup: BenchSetup,
  emulatorUrl: string,
  userId: number,
  appointments: number,
): Promise<Context> {
  const at = (url: string) => Object.assign(new URL(url), { pathname: `/carelane_${appointments}` }).href;
  const [ownerUrl, serviceUrl] = [at(setup.ownerUrl), at(setup.databaseUrl)];
  await prepareDatabase({ ownerUrl, serviceUrl });
  await migrateDatabase({ ownerUrl, serviceUrl });
  const services = createServices(
    readConfig({
      ...setup.settings,
      DATABASE_URL: serviceUrl,
      ACUITY_API_URL: `${emulatorUrl}/api/v1`,
      ACUITY_RENEW_SECONDS: '86400',
    }),
  );
  const ctx = await connectClinic(services, emulatorUrl, userId, CALENDARS);
  await fillMirror(ctx, CALENDARS);
  await withClient(ownerUrl, async (client) => {
    // Without triggers and foreign keys, so that no patients are needed.
    await client.query('set session_replication_role = replica');
    await client.query(
      `with made as (
         insert into appointments (id, tenant_id, patient_id, appointment_type_id, appointment_type, calendar_id, calendar,
           start_at, end_at, time_zone, video_token, status, updated_at)
         select gen_random_uuid(), $1, gen_random_uuid(), ${TYPE}, 'Follow-up visit', ${CALENDARS[0]} + calendar, 'Calendar',
           at, at + interval '30 minutes', 'America/New_York', gen_random_uuid()::text, 'scheduled', now()
         from generate_series(0, $2 - 1) as n,
           lateral (select case when n < ${IN_WEEK} or n % 1000 <> 0 then n % 50 else n / 1000 % 50 end as calendar) as c,
           lateral (select case
             when n < ${IN_WEEK} then $3::date + interval '1 day' * (n / 50)
             when n % 1000 = 0 then $3::date + interval '${DAYS + 2} days' + interval '1 hour' * (n / 50000)
             else now() - interval '10 minutes' * n end as at) as times
         returning id, calendar_id, start_at, end_at)
       insert into slot_claims (id, tenant_id, appointment_id, calendar_id, start_at, end_at)
       select gen_random_uuid(), $1, id, calendar_id, start_at, end_at from made where start_at > now()`,
      [ctx.tenantId, appointments, dayAhead(3)],
    );
    await client.query('vacuum (analyze) appointments, slot_claims, availability_days');
  });
  return ctx;
}

async function measureReads(ctx: Context): Promise<Figures> {
  const query = { appointment_type_id: TYPE, from_date: dayAhead(2), to_date: dayAhead(1 + DAYS) };
  let blocks = 0;
  await listAvailability(
    explaining(ctx, (plan) => {
      blocks += pagesTouchedBy(plan);
    }),
    query,
  );
  const times: number[] = [];
  const until = performance.now() + READS_MS;
  while (performance.now() < until) {
    const since = performance.now();
    await listAvailability(ctx, query);
    times.push(performance.now() - since);
  }
  return { 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99), blocks };
}
