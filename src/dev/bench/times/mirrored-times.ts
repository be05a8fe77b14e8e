import { createAcuityEmulator } from '#emulators/acuity/index.ts';
import { readConfig } from '#server/core/config.ts';
import { type Services, systemContext } from '#server/core/context.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { getSchedulingAccount } from '#server/integrations/scheduling-account.ts';
import { createPace } from '#server/providers/request-budget.ts';
import { createServices } from '#server/services.ts';
import { requestToken } from '../../testing/rest-client.ts';
import { startHttpProcess } from '../../testing/start-http-process.ts';
import type { Figures, Job } from '../job.ts';
import { quantile } from '../quantile.ts';
import { amongAppointments } from './among-appointments.ts';
import { connectClinic, DAYS, dayAhead, fillMirror, TYPE } from './connect-clinic.ts';
import { sharedAddress } from './shared-address.ts';

/** Acuity's rate limit per IP address. */
const PER_SECOND = 10;
const COLD = [3, 24, 50];
const READS_MS = 2_000;
const RETRY_MS = 100;

const WARM = 'warm, 50 calendars × 7 days';
const LARGE = 'warm, 500 calendars × 7 days';
const LIVE = 'peer: live, 50 × 7 at 10 calls/s';
const cold = (count: number) => `cold, first day of ${count} calendars`;

/**
 * Availability from the mirror compared with requests to the provider; the delay of a clinic's first request; the age
 * of the mirror when many clinics share an IP address; and the cost of a clinic's history.
 */
export const mirroredTimes: Job = {
  id: 'P2',
  // A live week takes half a minute.
  mostRepeats: 2,
  title: 'free times of a week',
  async prepare(setup) {
    const emulator = await createAcuityEmulator({ rateLimit: false, log: () => {} }).start();
    const settings = {
      ...setup.settings,
      ACUITY_API_URL: `${emulator.url}/api/v1`,
      ACUITY_RENEW_SECONDS: '86400',
      ACUITY_REQUESTS_PER_SECOND: String(PER_SECOND),
    };
    // The preparation is not paced.
    const services = createServices(readConfig({ ...settings, ACUITY_REQUESTS_PER_SECOND: '1000' }));
    const server = await startHttpProcess({ ...settings, NODE_ENV: 'production' });
    let accounts = 900_200;
    const open = async (calendars: number) =>
      openClinic(services, { emulator: emulator.url, server: server.url }, accounts++, calendars);
    const [fifty, fiveHundred] = [await open(50), await open(500)];
    const colds = new Map<number, Clinic>();
    for (const count of COLD) colds.set(count, await open(count));
    for (const { path, token } of [fifty, fiveHundred]) await waitUntilComplete(`${server.url}${path}`, token);
    const shared = await sharedAddress(services, {
      settings,
      ownerUrl: setup.ownerUrl,
      emulatorUrl: emulator.url,
      firstUserId: 910_000,
    });
    const grown = await amongAppointments(setup, emulator.url, 920_000);
    let live: Promise<Figures> | null = null;
    return {
      sides: [
        { name: WARM, measure: () => measureReads(`${server.url}${fifty.path}`, fifty.token) },
        { name: LARGE, measure: () => measureReads(`${server.url}${fiveHundred.path}`, fiveHundred.token) },
        {
          name: LIVE,
          // Its duration is determined by the rate, so it is measured once.
          measure: () => {
            live ??= requestLive(services, fifty);
            return live;
          },
        },
        ...COLD.map((count) => ({
          name: cold(count),
          measure: () => measureFirstDay(services, server.url, colds.get(count)!),
        })),
        ...shared.sides,
        ...grown.sides,
      ],
      goals: [
        {
          words: `${LIVE} : ${WARM}, at least 1000`,
          of: (medians) => medians[LIVE]!['p50 ms']! / medians[WARM]!['p50 ms']!,
          holds: (ratio) => ratio >= 1000,
        },
        { words: `${WARM}, p50 at most 15 ms`, of: (medians) => medians[WARM]!['p50 ms']!, holds: (ms) => ms <= 15 },
        {
          words: `${LARGE} : ${WARM}, at most 11`,
          of: (medians) => medians[LARGE]!['p50 ms']! / medians[WARM]!['p50 ms']!,
          holds: (ratio) => ratio <= 11,
        },
        ...COLD.map((count) => ({
          words: `${cold(count)}, at most ${(1 + count / 8).toFixed(1)} s`,
          of: (medians: Record<string, Figures>) => medians[cold(count)]!['p50 ms']! / 1000,
          holds: (seconds: number) => seconds <= 1 + count / 8,
        })),
        ...shared.goals,
        ...grown.goals,
      ],
      async stop() {
        await grown.stop();
        await server.stop();
        await services.close();
        await emulator.stop();
      },
    };
  },
};

type Clinic = { tenantId: string; token: string; path: string; calendars: number[] };

async function openClinic(
  services: Services,
  { emulator, server }: { emulator: string; server: string },
  userId: number,
  count: number,
): Promise<Clinic> {
  const calendars = Array.from({ length: count }, (_, n) => 100 + n);
  const ctx = await connectClinic(services, emulator, userId, calendars);
  const { application, client_secret } = await createApplication(ctx, {
    name: 'Server',
    scopes: ['appointments:read'],
  });
  const token = await requestToken(server, { clientId: application.client_id, clientSecret: client_secret });
  const path = `/api/v1/availability?appointment_type_id=${TYPE}&from_date=${dayAhead(2)}&to_date=${dayAhead(1 + DAYS)}`;
  if (count >= 50) await fillMirror(ctx, calendars);
  return { tenantId: ctx.tenantId, token, path, calendars };
}

/** Repeats a request with one caller, because the client needs long to read megabytes. */
async function measureReads(url: string, token: string): Promise<Figures> {
  const times: number[] = [];
  const until = performance.now() + READS_MS;
  while (performance.now() < until) {
    const since = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    times.push(performance.now() - since);
  }
  return { 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99) };
}

async function waitUntilComplete(url: string, token: string): Promise<void> {
  for (;;) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    if (response.status === 200) return;
    if (response.status !== 503) throw new Error(`${url} answered ${response.status}`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Requests each day of each calendar with its own call, as fast as Acuity accepts them. */
async function requestLive(services: Services, { tenantId, calendars }: Clinic): Promise<Figures> {
  const { provider } = await getSchedulingAccount(systemContext(services, tenantId, 'bench'), 'urgent');
  const pace = createPace(PER_SECOND);
  const since = performance.now();
  const calls = calendars.flatMap((calendarId) =>
    Array.from({ length: DAYS }, (_, n) => ({ calendarId, day: dayAhead(2 + n) })),
  );
  await Promise.all(
    calls.map(async ({ calendarId, day }) => {
      await pace();
      await provider.times(day, { typeId: TYPE, calendarId, timeZone: 'America/New_York' });
    }),
  );
  return { 'p50 ms': performance.now() - since };
}

/** Empties a clinic's mirror and repeats the request until the response is complete. */
async function measureFirstDay(services: Services, url: string, { tenantId, token, path }: Clinic): Promise<Figures> {
  await services.database.forTenant(tenantId).availabilityDay.deleteMany({});
  const since = performance.now();
  await waitUntilComplete(`${url}${path.replace(/to_date=.*/, `to_date=${dayAhead(2)}`)}`, token);
  return { 'p50 ms': performance.now() - since };
}
