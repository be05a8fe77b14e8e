import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { freePort } from './http-server.ts';
import { checkOutPrevious, previousCommit } from './previous-commit.ts';
import { restClient } from './rest-client.ts';
import { sampleRequests } from './sample-requests.ts';
import { makeTarget, readOffer } from './sample-targets.ts';
import { takeSlot } from './samples/sample.ts';
import { testSettings } from './services.ts';
import { startHttpProcess } from './start-http-process.ts';

const CALLERS = 4;
const FOR_MS = 15_000;

const commit = previousCommit();
test.skipIf(!commit)(
  `the commit before the newest migration (${commit?.slice(0, 7)}) serves under load on the current schema`,
  { timeout: 300_000 },
  async () => {
    const port = await freePort();
    const env = {
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      SESSION_SECRET: randomBytes(32).toString('hex'),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    };
    const clinic = await withClinic({ ...SANDBOX, env });
    onTestFinished(() => clinic.stop());
    const providers = { STRIPE_API_URL: clinic.stripe.emulator.url, ACUITY_API_URL: clinic.acuity.url };
    const settings = testSettings(clinic.database, { ...env, ...providers, LOG_LEVEL: 'error' });
    let log = '';
    const before = await startHttpProcess(settings, (text) => (log += text), checkOutPrevious());
    onTestFinished(() => before.stop());

    const rest = restClient(`${before.url}/api/v1`);
    onTestFinished(() => rest.close());
    const old: Sandbox = { ...clinic, url: before.url, rest };
    const token = await old.token(await clinic.application(clinic.ctx));
    const offer = await readOffer(old, token);
    const samples = Object.entries(sampleRequests(offer)).filter(([, { kind }]) => kind !== 'self');
    const statuses = new Map<string, number>();
    const until = performance.now() + FOR_MS;
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        while (performance.now() < until && offer.times.length > CALLERS * samples.length) {
          const target = await makeTarget(old, token, offer);
          for (const [name, sample] of samples.sort(
            ([, one], [, other]) => Number(!!one.consumes) - Number(!!other.consumes),
          )) {
            // A booked slot must not be offered to another target.
            const time = /appointments/.test(name) ? takeSlot(offer) : offer.times[0]!;
            const response = await rest.call({ method: name.split(' ')[0]!, token, ...sample.request(target, time) });
            const key = `${name} ${response.status}`;
            statuses.set(key, (statuses.get(key) ?? 0) + 1);
          }
        }
      }),
    );
    const requestCount = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    console.info(`the commit before: ${commit}, ${requestCount} requests to ${samples.length} routes`);
    expect(
      [...statuses.keys()].filter((key) => / 5\d\d$/.test(key)),
      log,
    ).toEqual([]);
    expect(requestCount).toBeGreaterThan(samples.length);
  },
);
