import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { readConfig } from '#server/core/config.ts';
import type { Context, Services } from '#server/core/context.ts';
import { RENEWED_TENANTS } from '#server/mirror/known-days.ts';
import { createAvailabilityRenewal, renewalIntervalMs } from '#server/scheduling/availability/renew-availability.ts';
import { createServices } from '#server/services.ts';
import { withClient } from '../../../launcher/postgres/with-client.mjs';
import type { Figures, Goal, Side } from '../job.ts';
import { quantile } from '../quantile.ts';
import { connectClinic, fillMirror } from './connect-clinic.ts';

const CLINICS = 100;
/** Ten times as fast as production, where Acuity accepts 10 calls a second and days are at most 300 s old. */
const [PER_SECOND, RENEW_S] = [100, 30];
/** A day is due at half the maximum age: at the first time all days were due once, at the second twice. */
const [SETTLED_S, WATCHED_S] = [20, 40];
const CALENDAR = 100;

const SHARED = `${CLINICS} clinics at one address`;

type Options = { settings: Record<string, string>; ownerUrl: string; emulatorUrl: string; firstUserId: number };

/**
 * The age of the mirror of many clinics that share the rate limit of one IP address, with a week of one calendar each.
 */
export async function sharedAddress(
  services: Services,
  { settings, ownerUrl, emulatorUrl, firstUserId }: Options,
): Promise<{ sides: Side[]; goals: Goal[] }> {
  const clinics: Context[] = [];
  for (let n = 0; n < CLINICS; n++)
    clinics.push(await connectClinic(services, emulatorUrl, firstUserId + n, [CALENDAR]));
  const paced = readConfig({
    ...settings,
    ACUITY_RENEW_SECONDS: String(RENEW_S),
    ACUITY_REQUESTS_PER_SECOND: String(PER_SECOND),
  });
  let figures: Promise<Figures> | null = null;
  const measure = () => withClient(ownerUrl, (owner) => watch(createServices(paced), owner, clinics));
  return {
    sides: [
      {
        name: SHARED,
        // Its duration is fixed, so it is measured once.
        measure: () => {
          figures ??= measure();
          return figures;
        },
      },
    ],
    goals: [
      {
        words: `${SHARED} (${PER_SECOND} calls/s), p95 age at most ${RENEW_S} s`,
        of: (medians) => medians[SHARED]!['p95 s']!,
        holds: (seconds) => seconds <= RENEW_S,
      },
      {
        words: `${SHARED}, starved: none`,
        of: (medians) => medians[SHARED]!.starved!,
        holds: (starved) => starved === 0,
      },
    ],
  };
}

/** Renews as the worker does, and reads the ages each second. */
async function watch(services: Services, owner: pg.Client, clinics: Context[]): Promise<Figures> {
  const ids = clinics.map(({ tenantId }) => tenantId);
  await owner.query('delete from tenant_routes where key = $1', [RENEWED_TENANTS]);
  await owner.query('insert into tenant_routes (key, tenant_id) select $1, unnest($2::uuid[])', [RENEWED_TENANTS, ids]);
  // The clinics' initial ages are spread evenly.
  const begun = new Date();
  for (const [n, clinic] of clinics.entries())
    await fillMirror(clinic, [CALENDAR], (n / clinics.length) * (RENEW_S / 2) * 1000);
  const renewing = createAvailabilityRenewal(services);
  const until = performance.now() + WATCHED_S * 1000;
  const renewals = (async () => {
    while (performance.now() < until) {
      await renewing.renewDue();
      await pause(renewalIntervalMs(services));
    }
  })();
  const ages: number[] = [];
  await pause(SETTLED_S * 1000);
  while (performance.now() < until) {
    const { rows } = await owner.query<{ age: number }>(
      `select extract(epoch from clock_timestamp() - fetched_at)::float8 as age
       from availability_days where tenant_id = any($1::uuid[])`,
      [ids],
    );
    for (const { age } of rows) ages.push(age);
    await pause(1000);
  }
  const { rows } = await owner.query<{ starved: number }>(
    `select count(distinct tenant_id)::int as starved
     from availability_days where tenant_id = any($1::uuid[]) and fetched_at < $2`,
    [ids, begun],
  );
  await renewals;
  await renewing.stop();
  await services.close();
  return { 'p95 s': quantile(ages, 0.95), 'oldest s': quantile(ages, 1), starved: rows[0]!.starved };
}
