import type pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '#contract/routes.ts';
import { type Clinic, startClinic } from '../clinic.ts';
import { entriesLeft } from '../entries-left.ts';
import { connectTo } from '../invariants/tenant-walk.ts';
import { faultOfTrail } from '../invariants/trail.ts';
import { sampleRequests } from '../sample-requests.ts';
import { makeTarget, readOffer } from '../sample-targets.ts';
import { nameOf, type Target } from '../samples/sample.ts';

const READ = 'GET /patients/{id}';
let clinic: Clinic;
let owner: pg.Client;
let token: string;
let target: Target;
let samples: ReturnType<typeof sampleRequests>;
beforeAll(async () => {
  clinic = await startClinic();
  owner = await connectTo(clinic.database.ownerUrl);
  token = await clinic.token(await clinic.application(clinic.tenant));
  const offer = await readOffer(clinic, token);
  samples = sampleRequests(offer);
  target = await makeTarget(clinic, token, offer);
});
afterEach(() => owner.query('drop trigger if exists planted on audit_entries'));
afterAll(async () => {
  await owner?.end();
  await clinic?.stop();
});

/** What is wrong with what one read of a patient leaves in the log. */
async function live(): Promise<string | null> {
  const route = ROUTES.find((one) => nameOf(one) === READ)!;
  const sample = samples[READ]!;
  const request = sample.request(target, { from_date: '', calendar_id: 0 });
  const answer = await clinic.rest.call({ method: route.method, token, ...request });
  expect(answer.status).toBe(200);
  const entries = await entriesLeft(owner, answer.headers['request-id']);
  return faultOfTrail(entries, { route, sample, principal: 'application', answer, target });
}

/** What the database does by itself before an entry is written. */
const beforeWriting = (body: string) =>
  owner.query(`
    create or replace function planted() returns trigger language plpgsql as $$ begin ${body} end $$;
    create trigger planted before insert on audit_entries for each row execute function planted()`);

test('whole: a read leaves one entry that says who saw whom', async () => {
  expect(await live()).toBeNull();
});

test('A2: a read that leaves nothing', async () => {
  await beforeWriting('return null;');
  expect(await live()).toBe('no entry');
});

test('A2: an entry that does not say whose data was seen', async () => {
  await beforeWriting("new.patient_id := null; new.object_id := 'somebody'; return new;");
  expect(await live()).toContain('no entry says so');
});

test('A2: an entry that holds what was read', async () => {
  await beforeWriting(`new.details := '{"first_name": "Ada"}'; return new;`);
  expect(await live()).toBe('an entry holds a value');
});

test('A2: an entry in somebody else’s name', async () => {
  await beforeWriting("new.actor_type := 'Patient'; return new;");
  expect(await live()).toContain('names Patient');
});
