import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { dayAhead, FOLLOW_UP, ROWAN } from '#dev/testing/scheduling.ts';
import { testServices } from '#dev/testing/services.ts';
import { type Services, systemContext } from '#server/core/context.ts';
import { getAcuityAccount } from '#server/integrations/scheduling-account.ts';

/** `PROVE=1` runs the long form. */
const CALLS = process.env.PROVE ? 48 : 24;

let clinic: Clinic<'acuity'>;
let second: Services;
beforeAll(async () => {
  clinic = await withClinic({ acuity: true, env: { ACUITY_REQUESTS_PER_SECOND: '10' } });
  second = testServices(clinic.database, clinic.settings);
  await clinic.acuity.control('PUT', 'rate-limit', { enabled: true });
});
afterAll(async () => {
  await second.close();
  await clinic.stop();
});

test("two processes together stay below Acuity's rate limit per address, and rejected calls are retried", async () => {
  let rejected = 0;
  const accounts: (readonly [Services, Awaited<ReturnType<typeof getAcuityAccount>>])[] = [];
  for (const services of [clinic.services, second]) {
    const budget = services.providers.scheduling;
    const { backOff: originalBackOff } = budget;
    budget.backOff = () => {
      rejected += 1;
      originalBackOff();
    };
    accounts.push([services, await getAcuityAccount(systemContext(services, clinic.tenant.id, 'test'))]);
  }
  const of = { typeId: FOLLOW_UP, calendarId: ROWAN, timeZone: 'America/New_York' };
  const since = performance.now();
  const responses = await Promise.all(
    Array.from({ length: CALLS }, (_, n) => accounts[n % 2]![1].provider.times(dayAhead(2 + (n % 30)), of)),
  );
  expect(responses.every((times) => times.length > 0)).toBe(true);
  const seconds = (performance.now() - since) / 1000;
  console.info(`turns: ${CALLS} calls of two processes in ${seconds.toFixed(1)} s, ${rejected} rejected`);
  expect(seconds).toBeGreaterThan(CALLS / 10 - 1);
  if (process.env.PROVE) expect(rejected).toBeLessThanOrEqual(2);
}, 60_000);
