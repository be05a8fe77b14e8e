import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES, type Route } from '#contract/routes.ts';
import { SCOPES } from '#contract/scopes.ts';
import { newId } from '#server/core/ids.ts';
import { rowCounter } from './catalogue.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import {
  expected,
  isOtherTenant,
  isPatient,
  PRINCIPALS,
  type Principal,
  REACH,
  RELATIONS,
  type Relation,
  seen,
} from './invariants/route-access.ts';
import { auditTrailViolation } from './invariants/trail.ts';
import { sampleRequests } from './sample-requests.ts';
import { insertTarget, makeTarget, readOffer } from './sample-targets.ts';
import { nameOf, type Offer, type Sample, type Target, takeSlot } from './samples/sample.ts';
import { signInPatient } from './signed-in.ts';
import { auditEntriesOf } from './stored-entries.ts';
import { saveCard } from './stripe-objects.ts';
import { noWebhook } from './webhook-target.ts';

/** The long form tests every principal with every relation and counts all rows after each rejected request. */
const LONG = Boolean(process.env.PROVE);

/** The same two patients with their roles swapped. */
const MIRRORED: Principal[] = ['other patient', 'other signed-in patient'];

let clinic: Sandbox;
let owner: pg.Client;
let rowCounts: Awaited<ReturnType<typeof rowCounter>>;
let offer: Offer;
let samples: Record<string, Sample>;
let tokens: Record<Principal, (route: Route) => string | null>;
let targets: Record<Relation, Target>;
let spare: string;

beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  owner = new pg.Client({ connectionString: clinic.database.ownerUrl });
  await owner.connect();
  rowCounts = await rowCounter(owner);
  // Each of thousands of requests looks its entries up by request id; production has no such query.
  await owner.query('create index on audit_entries (request_id)');
  const credentials = await clinic.application(clinic.ctx);
  const application = await clinic.token(credentials);
  const other = await clinic.token(await clinic.application(clinic.otherCtx));
  offer = await readOffer(clinic, application);
  samples = sampleRequests(offer);
  targets = {
    own: await makeTarget(clinic, application, offer),
    'same tenant': await makeTarget(clinic, application, offer),
    'other tenant': await insertTarget(clinic),
    absent: {
      patientId: newId(),
      subscriptionId: 'sub_absent',
      paymentId: 'in_absent',
      appointmentId: newId(),
      eventId: newId(),
      taskId: newId(),
      cardId: 'pm_absent',
      practitionerId: newId(),
      unmatchedId: newId(),
      messageId: newId(),
      ...noWebhook(),
    },
  };
  const lacking = new Map<string, string>();
  for (const scope of new Set(ROUTES.map((route) => route.scope))) {
    const others = SCOPES.filter((one) => one !== scope && one !== 'admin');
    lacking.set(scope, await clinic.token(await clinic.application(clinic.ctx, others)));
  }
  const patient = await clinic.impersonate(credentials, targets.own.patientId);
  const otherPatient = await clinic.impersonate(credentials, targets['same tenant'].patientId);
  const signedIn = (await signInPatient(clinic.ctx, targets.own.patientId)).access_token;
  const otherSignedIn = (await signInPatient(clinic.ctx, targets['same tenant'].patientId)).access_token;
  const elsewhere = (await signInPatient(clinic.otherCtx, targets['other tenant'].patientId)).access_token;
  const { access_token: signedOut } = await signInPatient(clinic.ctx, targets.own.patientId);
  const headers = { authorization: `Bearer ${signedOut}`, 'content-type': 'application/json' };
  await fetch(`${clinic.url}/identity/user/sign_out`, { method: 'POST', headers, body: '{}' });
  spare = application;
  tokens = {
    'signed-in patient': () => signedIn,
    'other signed-in patient': () => otherSignedIn,
    'signed-in patient elsewhere': () => elsewhere,
    'patient signed out': () => signedOut,
    application: () => application,
    'application without the scope': (route) => lacking.get(route.scope)!,
    'other application': () => other,
    patient: () => patient,
    'other patient': () => otherPatient,
    unauthenticated: () => null,
    garbage: () => `${application.slice(0, -4)}AAAA`,
  };
});
afterAll(async () => {
  await owner?.end();
  await clinic?.stop();
});

test('every public route has a sample request', () => {
  expect(Object.keys(samples).sort()).toEqual(ROUTES.map(nameOf).sort());
});

describe.each(ROUTES.map((route, index) => [nameOf(route), route, index] as const))('%s', (name, route, index) => {
  const outcomeOf = (principal: Principal, relation: Relation) => expected(route, samples[name]!, principal, relation);
  const isRejected = (principal: Principal, relation: Relation) =>
    !['done', 'let in'].includes(outcomeOf(principal, relation));

  /**
   * The short form sends one request where the relation makes no difference, and samples by route the cases that differ
   * in name only.
   */
  function relationsFor(principal: Principal): readonly Relation[] {
    const part = (index + PRINCIPALS.indexOf(principal)) % 4;
    if (LONG) return RELATIONS;
    if (MIRRORED.includes(principal) && part !== 0) return [];
    if (new Set(RELATIONS.map((relation) => outcomeOf(principal, relation))).size === 1)
      return [REACH[principal][0] ?? 'own'];
    return RELATIONS.filter((relation) => {
      if (relation === 'absent') return part === 1;
      if (outcomeOf(principal, relation) === 'let in') return part % 2 === 0;
      return principal !== 'application' || relation !== 'same tenant' || part === 2;
    });
  }

  async function sendAs(principal: Principal, relation: Relation): Promise<void> {
    const sample = samples[name]!;
    const wanted = outcomeOf(principal, relation);
    const expectsError = isRejected(principal, relation);
    const time = expectsError || !/appointments/.test(name) ? offer.times[0]! : takeSlot(offer);
    const withWebhook = name.includes('webhook');
    const target = await targetFor(sample, principal, relation, { isRejected: expectsError, withWebhook });
    const request = sample.request(target, time);
    const response = await clinic.rest.call({ method: route.method, token: tokens[principal](route), ...request });
    const at = [principal, relation];
    expect([...at, seen(response, wanted, sample)]).toEqual([...at, wanted]);
    if (!expectsError && principal === 'patient') expect(await actedFor(targets.own.patientId)).toBeGreaterThan(0);
    const entries = await auditEntriesOf(owner, response.headers['request-id']);
    expect([...at, auditTrailViolation(entries, { route, sample, principal, response, target })]).toEqual([
      ...at,
      null,
    ]);
  }

  test('leaves no row behind after a rejected request', { timeout: 120_000 }, async () => {
    const before = await rowCounts();
    for (const principal of PRINCIPALS)
      for (const relation of relationsFor(principal).filter((one) => isRejected(principal, one))) {
        await sendAs(principal, relation);
        if (LONG) expect([principal, relation, await rowCounts()]).toEqual([principal, relation, before]);
      }
    expect(await rowCounts()).toEqual(before);
  });

  test('returns each principal the data that it may access', async () => {
    for (const principal of PRINCIPALS)
      for (const relation of relationsFor(principal))
        if (!isRejected(principal, relation)) await sendAs(principal, relation);
  });
});

/** A route that consumes its target gets a new one, unless the request is expected to be rejected before. */
async function targetFor(
  sample: Sample,
  principal: Principal,
  relation: Relation,
  { isRejected, withWebhook }: { isRejected: boolean; withWebhook: boolean },
): Promise<Target> {
  const target = targets[relation];
  if (!sample.consumes || isRejected) return target;
  const created = await (isOtherTenant(principal)
    ? insertTarget(clinic, { withWebhook })
    : makeTarget(clinic, spare, offer, { withWebhook }));
  return isPatient(principal) ? handOver(created, target.patientId) : created;
}

let noted = 0;
/** The number of audit entries, since the previous call, that name both the application and the patient. */
async function actedFor(patientId: string): Promise<number> {
  const before = noted;
  noted = await clinic.ctx.db.auditEntry.count({ where: { actorType: 'Application', onBehalfOf: patientId } });
  return noted - before;
}

/** A patient token is bound to one patient, so the new records are assigned to that patient. */
async function handOver(target: Target, patientId: string): Promise<Target> {
  for (const { db } of [clinic.ctx, clinic.otherCtx]) {
    if ((await db.patient.count({ where: { id: patientId } })) === 0) continue;
    if (db === clinic.ctx.db) target.cardId = await saveCard(clinic, patientId);
    await db.subscription.updateMany({ where: { id: target.subscriptionId }, data: { patientId } });
    await db.appointment.updateMany({ where: { id: target.appointmentId }, data: { patientId } });
  }
  return { ...target, patientId };
}

describe('a list that a patient token requests without patient_id', () => {
  test.each(
    // Appointments are the only list that is limited to the token's patient implicitly.
    ROUTES.filter(
      (route) =>
        route.patient &&
        'patient_id' in route.input.shape &&
        route.method === 'GET' &&
        route.procedure !== 'appointments.list',
    ).map(nameOf),
  )('%s is forbidden', async (name) => {
    const [method, path] = name.split(' ') as [string, string];
    const response = await clinic.rest.call({ method, path, token: tokens.patient(ROUTES[0]!) });
    expect(response.status).toBe(403);
  });
});
