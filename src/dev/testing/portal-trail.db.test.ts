import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PRACTITIONER_OPTIONS } from '#contract/roles.ts';
import { ROUTES } from '#contract/routes.ts';
import { actorOfStaff } from '#server/core/actor.ts';
import { contextFor } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { actionOf } from '#server/core/write-audit-entry.ts';
import { createCaller, readsOf } from '#server/router.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { PROCEDURES } from './endpoint-rows.ts';
import { makeTarget, readOffer } from './sample-targets.ts';
import type { Offer, Target } from './samples/sample.ts';
import { auditEntriesOf, patientsOf } from './stored-entries.ts';

/** A value of the record that no entry may hold. */
const NAME = 'Quillon Canary';

let clinic: Sandbox;
let owner: pg.Client;
let offer: Offer;
let target: Target;
let otherPatientId: string;
let userId: string;
let eventId: string;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  owner = new pg.Client({ connectionString: clinic.database.ownerUrl });
  await owner.connect();
  const token = await clinic.token(await clinic.application(clinic.ctx));
  offer = await readOffer(clinic, token);
  target = await makeTarget(clinic, token, offer, { priceId: offer.trialPriceId });
  await clinic.ctx.db.patient.updateMany({ where: { id: target.patientId }, data: { firstName: NAME } });
  const numbered = () =>
    clinic.ctx.db.eventNumber.findFirst({ where: { patientId: target.patientId }, select: { eventId: true } });
  for (let n = 0; n < 200 && !eventId; n += 1) {
    eventId = (await numbered())?.eventId ?? '';
    if (!eventId) await pause(50);
  }
  // The first note of an appointment has its id.
  const path = `/appointments/${target.appointmentId}/note`;
  await clinic.rest.call({ method: 'PATCH', path, token, body: { note: NAME } });
  otherPatientId = (await clinic.rest.call({ method: 'POST', path: '/patients', token, body: {} })).body.id;
  userId = newId();
  const { tenantId } = clinic.ctx;
  await clinic.ctx.db.staffUser.create({
    data: { id: userId, tenantId, email: `${userId}@example.test`, name: 'Ada Admin', role: 'admin' },
  });
});
afterAll(async () => {
  await owner?.end();
  await clinic?.stop();
});

/**
 * Procedures of pages behind a link, whose token is the only credential; those pages' own tests cover their entries.
 */
const BY_LINK =
  /^((checkout|manage|visits|invitations|addressChanges|staffLinks|clinic|messageChoices|calendarFeed)\.open|manage\.preview)/;
/** Procedures that reject portal sessions. */
const OF_PATIENTS = new Set(ROUTES.filter(({ patientOnly }) => patientOnly).map(({ procedure }) => procedure));
const QUERIES = PROCEDURES.filter(([name, { _def }]) => _def.type === 'query' && !BY_LINK.test(name)).map(
  ([name]) => name,
);
const inputs = ({
  patientId,
  subscriptionId,
  paymentId,
  appointmentId,
  webhookId,
  deliveryId,
  taskId,
}: Target): object[] => [
  { id: patientId },
  { id: otherPatientId, other_id: patientId },
  { patient_id: patientId },
  { action: 'book', patient_id: patientId },
  { id: subscriptionId },
  { id: paymentId },
  { id: subscriptionId, price_ids: [offer.priceId] },
  { id: appointmentId },
  { ids: [appointmentId] },
  { id: eventId },
  { id: webhookId },
  { id: taskId },
  { id: deliveryId },
  {},
  { appointment_type_id: 1, from_date: '2999-01-01' },
];

async function callProcedure(name: string, input: object, kind: 'admin' | 'practitioner') {
  const actor = actorOfStaff({ role: kind, tenantId: clinic.ctx.tenantId, userId }, PRACTITIONER_OPTIONS);
  const ctx = contextFor(clinic.services, actor, { requestId: newId(), ip: '192.0.2.7', userAgent: 'curl/8' });
  const [domain, verb] = name.split('.') as [string, string];
  const caller = createCaller(ctx) as unknown as Record<string, Record<string, (input: object) => Promise<unknown>>>;
  const response = await caller[domain]![verb]!(input).then(
    (data) => ({ data, code: null }),
    (error: { cause?: { code?: string } }) => ({ data: null, code: error.cause?.code ?? 'invalid' }),
  );
  return { ...response, entries: await auditEntriesOf(owner, ctx.requestId) };
}

test.each(QUERIES)('%s leaves the expected entry, without values', async (name) => {
  const reads = readsOf(name)!;
  let successes = 0;
  for (const input of inputs(target)) {
    const { data, code, entries } = await callProcedure(name, input, 'admin');
    expect(JSON.stringify(entries)).not.toMatch(/Quillon|@example\.test/);
    if (code !== null) continue;
    successes += 1;
    // A query can also cause an entry of another action.
    const own = entries.filter(({ action }) => action === actionOf(name, reads));
    expect([name, input, own.length]).toEqual([name, input, reads.of === 'patient' ? 1 : 0]);
    const json = JSON.stringify(data);
    const shows = json.includes(target.patientId) || json.includes(NAME);
    // Independently of its declaration, a response that holds a patient's data must be logged as a read of that
    // patient.
    if (shows && !name.startsWith('audit.')) expect(patientsOf(own[0]!)).toContain(target.patientId);
    if (shows) expect(reads.of).toBe('patient');
    for (const { actor_id, address, user_agent, outcome } of own)
      expect([actor_id, address, user_agent, outcome]).toEqual([userId, '192.0.2.7', 'curl', null]);
  }
  // Procedures such as `session.me` may need more than a context; every read of patients must have succeeded once.
  if (reads.of === 'patient' && name !== 'inbox.list' && !OF_PATIENTS.has(name)) expect(successes).toBeGreaterThan(0);
});

test.each([
  ['patients.get', { id: '00000000-0000-7000-8000-000000000000' }, 'admin', 'not_found'],
  ['appointments.get', { id: '00000000-0000-7000-8000-000000000000' }, 'practitioner', 'not_found'],
  ['audit.list', {}, 'practitioner', 'forbidden'],
  ['patients.me', {}, 'admin', 'forbidden'],
] as const)('logs %s when it is rejected', async (name, input, kind, code) => {
  const response = await callProcedure(name, input, kind);
  expect(response.code).toBe(code);
  expect(response.entries).toMatchObject([{ action: actionOf(name, readsOf(name)!), outcome: code, actor_id: userId }]);
});
