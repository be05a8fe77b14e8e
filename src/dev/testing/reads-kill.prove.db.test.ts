import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createApplication } from '#server/identity/applications/router.ts';
import { createTenant } from '#server/identity/staff/create-tenant.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { requestToken } from './rest-client.ts';
import { testServices, testSettings } from './services.ts';
import { serviceProgram } from './start-service-process.ts';

const ROUNDS = process.env.PROVE === '1' ? 200 : 6;
const CALLERS = 8;
const PATIENTS = 30;

let database: TestDatabase;
let owner: pg.Client;
let program: Awaited<ReturnType<typeof serviceProgram>>;
let services: ReturnType<typeof testServices>;
beforeAll(async () => {
  [database, program] = await Promise.all([createTestDatabase(), serviceProgram()]);
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await program?.stop();
  await services?.close();
  await owner?.end();
  await database?.drop();
});

test('every response that a client received is in the audit log after SIGKILL', {
  timeout: ROUNDS * 25_000,
}, async () => {
  const settings = testSettings(database, { PORT: '0', LOG_LEVEL: 'silent', WORKER: 'off' });
  services = testServices(database, settings);
  const { id: tenantId } = await createTenant(services, { name: 'Riverbend Clinic', timeZone: 'America/New_York' });
  const ctx = systemContext(services, tenantId, 'test');
  const patients = Array.from({ length: PATIENTS }, () => ({ id: newId(), tenantId, firstName: 'Ada' }));
  await ctx.db.patient.createMany({ data: patients });
  const { application, client_secret } = await createApplication(ctx, { name: 'Server', scopes: ['patients:read'] });
  let token = '';
  let seen = 0;
  let lost = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { url, kill, ended } = await program.start(settings);
    token ||= await requestToken(url, { clientId: application.client_id, clientSecret: client_secret });
    const responses: { requestId: string; patients: string[] }[] = [];
    let isDead = false;
    const callers = Array.from({ length: CALLERS }, async (_, n) => {
      for (let turn = 0; !isDead; turn += 1) {
        const path = (n + turn) % 2 ? '/patients?size=30' : `/patients/${patients[(n + turn) % PATIENTS]!.id}`;
        const response = await read(`${url}/api/v1${path}`, token).catch(() => null);
        if (response) responses.push(response);
        else lost += 1;
      }
    });
    // Kills the process while it serves, after a minimum number of responses.
    for (let n = 0; n < 500 && responses.length < 1 + (round % 9) * 3; n += 1) await pause(20);
    await pause((round * 7) % 40);
    kill('SIGKILL');
    isDead = true;
    await ended;
    await Promise.all(callers);
    const { rows } = await owner.query<{ request_id: string; shown: string[] }>(
      `select request_id, coalesce(patient_ids, array[patient_id])::text[] as shown from audit_entries
       where request_id = any($1)`,
      [responses.map(({ requestId }) => requestId)],
    );
    const noted = new Map(rows.map(({ request_id, shown }) => [request_id, shown.toSorted()]));
    for (const { requestId, patients: shown } of responses) expect(noted.get(requestId)).toEqual(shown.toSorted());
    seen += responses.length;
  }
  console.log(`${ROUNDS} kills: ${seen} responses, each in the log; ${lost} requests got none`);
  expect(seen).toBeGreaterThan(ROUNDS);
});

async function read(url: string, token: string): Promise<{ requestId: string; patients: string[] } | null> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const body = (await response.json()) as { id: string } | { id: string }[];
  if (response.status !== 200) return null;
  return { requestId: response.headers.get('request-id')!, patients: [body].flat().map(({ id }) => id) };
}
