import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentAction } from '#contract/audit-actions.ts';
import { exportEntries } from '#server/audit/export-entries.ts';
import { sealAudit } from '#server/audit/seal-audit.ts';
import { verifyAudit } from '#server/audit/verify-audit.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createCaller } from '#server/router.ts';
import { asAdmin } from './actors.ts';
import { type Clinic, withClinic } from './clinic.ts';

/** Entries as earlier releases wrote them, the latest last. */
const STORED = ['patients.me', 'story.list', 'appointments.scheduled', 'visits.newLink', 'sign_ins.ask_email_change'];
/** The application that wrote them. */
const EARLIER = newId();
const SHOWN = STORED.map(currentAction);

let clinic: Clinic;
let admin: Context;
let patient_id: string;
let caller: ReturnType<typeof createCaller>;
beforeAll(async () => {
  clinic = await withClinic();
  admin = asAdmin(clinic.services, clinic.tenant);
  caller = createCaller(admin);
  patient_id = (await caller.patients.create({ first_name: 'Ada' })).id;
  for (const action of STORED) await writeEntry(action);
  await sealAudit(clinic.services);
});
afterAll(() => clinic?.stop());

const writeEntry = (action: string) => admin.db.$executeRaw`
  insert into audit_entries (id, tenant_id, action, object_type, object_id, patient_id, actor_type, actor_id, request_id)
  values (${newId()}::uuid, ${admin.tenantId}::uuid, ${action}, ${action === 'story.list' ? 'Story' : 'Patient'}, 'x',
    ${patient_id}::uuid, 'Application', ${EARLIER}, 'earlier')`;
const actionsOf = async (filter: object) =>
  (await caller.audit.list({ actor_id: EARLIER, ...filter })).items.map(({ action }) => action);

test('a chain with former names is intact, and stays as it was written', async () => {
  const report = await verifyAudit(clinic.services, admin.tenantId);
  expect(report.faults).toEqual([]);
  expect(report.checked).toBeGreaterThanOrEqual(STORED.length);
  const rows = await admin.db.auditEntry.findMany({ where: { actorId: EARLIER }, orderBy: { position: 'asc' } });
  expect(rows.map(({ action }) => action)).toEqual(STORED);
});

test('the list shows current names', async () => {
  expect(await actionsOf({})).toEqual(SHOWN.toReversed());
  const [read] = (await caller.audit.list({ actor_id: EARLIER, action: 'timeline.list' })).items;
  expect(read!.object.type).toBe('Timeline');
});

test.each([
  ['timeline.list', ['timeline.list']],
  ['story.list', ['timeline.list']],
  ['story', ['timeline.list']],
  ['appointments', ['appointments.book']],
  ['appointments.book', ['appointments.book']],
  ['sign_ins', ['sign_ins.request_email_change']],
  ['patientSignIn', ['sign_ins.request_email_change']],
  ['patients', ['patients.get_own']],
  ['letters', []],
])('the filter %s finds entries under their former names', async (action, expected) => {
  expect(await actionsOf({ action })).toEqual(expected);
});

test.each(['csv', 'ndjson'] as const)('an export as %s has current names', async (format) => {
  const parts: string[] = [];
  for await (const part of await exportEntries(admin, { format, actor_id: EARLIER })) parts.push(part);
  const text = parts.join('');
  for (const name of SHOWN) expect(text).toContain(name);
  for (const name of STORED) expect(text).not.toContain(name);
});

test('the readers of a chart and its timeline have current names', async () => {
  const readers = await caller.audit.forPatient({ patient_id });
  expect(readers.find(({ actor }) => actor.id === EARLIER)!.actions).toEqual(SHOWN.toSorted());
  const titles = async (input: object) =>
    (await caller.timeline.list({ patient_id, ...input })).items.map(({ title }) => title);
  const visits = ['The link to a video visit was replaced', 'An appointment was booked'];
  expect(await titles({ kind: 'visits' })).toEqual(visits);
  expect(await titles({})).toEqual(['A change of the email address was requested', ...visits, 'Added as a patient']);
});

test('the timeline leaves out repeated requests, whose changes have their own entries', async () => {
  const before = (await caller.timeline.list({ patient_id })).items;
  for (const action of ['appointments.book', 'cards.startSetup']) await writeEntry(action);
  expect((await caller.timeline.list({ patient_id })).items).toEqual(before);
});
