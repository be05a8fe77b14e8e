import type pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '#contract/routes.ts';
import { SANDBOX, type Sandbox, withClinic } from '../clinic.ts';
import { connectTo } from '../invariants/tenant-walk.ts';
import { auditTrailViolation } from '../invariants/trail.ts';
import { sampleRequests } from '../sample-requests.ts';
import { makeTarget, readOffer } from '../sample-targets.ts';
import { nameOf, type Target } from '../samples/sample.ts';
import { auditEntriesOf } from '../stored-entries.ts';

const READ = 'GET /patients/{id}';
let clinic: Sandbox;
let owner: pg.Client;
let token: string;
let target: Target;
let samples: ReturnType<typeof sampleRequests>;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  owner = await connectTo(clinic.database.ownerUrl);
  token = await clinic.token(await clinic.application(clinic.ctx));
  const offer = await readOffer(clinic, token);
  samples = sampleRequests(offer);
  target = await makeTarget(clinic, token, offer);
});
afterEach(() => owner.query('drop trigger if exists planted on audit_entries'));
afterAll(async () => {
  await owner?.end();
  await clinic?.stop();
});

/** Reads a patient. @returns the fault in the audit entries, or null */
async function live(): Promise<string | null> {
  const route = ROUTES.find((one) => nameOf(one) === READ)!;
  const sample = samples[READ]!;
  const request = sample.request(target, { from_date: '', calendar_id: 0 });
  const response = await clinic.rest.call({ method: route.method, token, ...request });
  expect(response.status).toBe(200);
  const entries = await auditEntriesOf(owner, response.headers['request-id']);
  return auditTrailViolation(entries, { route, sample, principal: 'application', response, target });
}

/** Plants a trigger that runs before an entry is inserted. */
const beforeWriting = (body: string) =>
  owner.query(`
    create or replace function planted() returns trigger language plpgsql as $$ begin ${body} end $$;
    create trigger planted before insert on audit_entries for each row execute function planted()`);

test('intact: a read leaves one entry with the reader and the patient', async () => {
  expect(await live()).toBeNull();
});

test('A2: detects a read without an entry', async () => {
  await beforeWriting('return null;');
  expect(await live()).toBe('no entry');
});

test('A2: detects an entry without the patient', async () => {
  await beforeWriting("new.patient_id := null; new.object_id := 'unknown'; return new;");
  expect(await live()).toContain('no entry says so');
});

test('A2: detects an entry that holds the data that was read', async () => {
  await beforeWriting(`new.details := '{"first_name": "Ada"}'; return new;`);
  expect(await live()).toBe('an entry holds a value');
});

test('A2: detects an entry with another actor', async () => {
  await beforeWriting("new.actor_type := 'Patient'; return new;");
  expect(await live()).toContain('names Patient');
});
