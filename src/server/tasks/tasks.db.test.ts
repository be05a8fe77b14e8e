import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CreateTaskInput, ListTasksInput, UpdateTaskInput } from '#contract/tasks.ts';
import { asApplication, asPatient, asPractitioner, asStaff, makeTenant } from '#dev/testing/actors.ts';
import { dumpDatabase, findCanaries } from '#dev/testing/canaries.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { errorOf, insertAppointment, makePatient } from '#dev/testing/scheduling.ts';
import { insertUnmatched } from '#dev/testing/unmatched-booking.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { createTask } from './create-task.ts';
import { getTask, listTasks } from './list-tasks.ts';
import { listAssignees, showTasks } from './show-tasks.ts';
import { updateTask } from './update-task.ts';

let clinic: Clinic;
let nurse: Context;
let nurseId: string;
let patientId: string;
beforeAll(async () => {
  clinic = await withClinic();
  nurseId = await member('Rowan Example');
  nurse = asPractitioner(clinic.services, clinic.tenant, nurseId);
  ({ id: patientId } = await makePatient(clinic));
});
afterAll(() => clinic?.stop());

async function member(name: string, role = 'practitioner'): Promise<string> {
  const id = newId();
  const { tenantId } = clinic.ctx;
  await clinic.ctx.db.staffUser.create({ data: { id, tenantId, name, email: `${id}@example.test`, role } });
  return id;
}
const bookedBy = (patient: string, id?: string) => insertAppointment(clinic.ctx, patient, id);
const make = (input: object = {}, ctx = nurse) => createTask(ctx, CreateTaskInput.parse({ title: 'Call', ...input }));
const change = (id: string, input: object, ctx = nurse) => updateTask(ctx, UpdateTaskInput.parse({ id, ...input }));
const list = (input: object = {}, ctx = nurse) => listTasks(ctx, ListTasksInput.parse(input));
const eventsOf = (objectId: string) =>
  clinic.ctx.db.event.findMany({ where: { objectId }, orderBy: { createdAt: 'asc' } });
async function fieldOf(call: Promise<unknown>) {
  const { code, source } = await errorOf(call);
  return [code, source];
}

describe('a task', () => {
  test('is made with its subject, whose patient it concerns; its note is encrypted, and not in the event', async () => {
    const appointmentId = await bookedBy(patientId);
    const input = {
      title: 'Follow up',
      note: 'Canary <b>dose</b>\nTwice',
      due_date: '2028-02-29',
      assignee_id: nurseId,
    };
    const task = await make({ ...input, subject_type: 'appointment', subject_id: appointmentId });
    expect(task).toMatchObject({ ...input, status: 'open', patient_id: patientId, created_by: nurseId });
    expect(await getTask(nurse, { id: task.id })).toEqual(task);
    expect(await eventsOf(task.id)).toMatchObject([
      { eventType: 'task', eventTopic: 'created', patientId, payload: { ...task, note: null } },
    ]);
    const dump = await dumpDatabase(clinic.database.ownerUrl);
    expect(findCanaries(new Map([['note', 'Canary <b>dose']]), dump)).toEqual([]);
  });

  test('is completed once, by one of two who try at the same time, and can be opened again', async () => {
    const { id } = await make();
    const desk = asStaff(clinic.services, clinic.tenant, 'front_desk', await member('Briar Example', 'front_desk'));
    const both = [change(id, { status: 'completed' }), change(id, { status: 'completed' }, desk)];
    const [one, other] = await Promise.all(both);
    expect(one).toEqual(other);
    expect(one).toMatchObject({ status: 'completed', completed_at: expect.any(String) });
    expect((await eventsOf(id)).map(({ eventTopic }) => eventTopic)).toEqual(['created', 'completed']);
    expect(await change(id, { status: 'open' })).toMatchObject({ completed_at: null, completed_by: null });
    expect((await eventsOf(id)).map(({ eventTopic }) => eventTopic)).toEqual(['created', 'completed', 'updated']);
  });

  test('keeps what a change does not name, and records only what changed', async () => {
    const task = await make({ note: 'Once', due_date: '2027-03-01', assignee_role: 'billing' });
    const changed = await change(task.id, { title: 'Call again', note: null });
    expect(changed).toMatchObject({
      title: 'Call again',
      note: null,
      due_date: '2027-03-01',
      assignee_role: 'billing',
    });
    expect(await change(task.id, { title: 'Call again' })).toEqual(changed);
    expect(await change(task.id, { due_date: null, assignee_id: nurseId })).toMatchObject({
      ...{ due_date: null, assignee_id: nurseId, assignee_role: null },
    });
    const entries = await clinic.ctx.db.auditEntry.findMany({
      where: { objectId: task.id, action: 'tasks.update' },
      orderBy: { position: 'asc' },
    });
    expect(entries.map(({ details }) => details)).toEqual([
      { fields: ['title', 'note'] },
      { fields: ['due_date', 'assignee_id', 'assignee_role'] },
    ]);
  });

  test('of a colleague who has left says so, and cannot be given to them', async () => {
    const leaver = await member('Sage Example');
    const { id } = await make({ assignee_id: leaver });
    const shown = async () => (await showTasks(nurse, { size: 1000 })).items.find((one) => one.id === id);
    expect(await shown()).toMatchObject({ assignee_name: 'Sage Example', assignee_left: false });
    await clinic.ctx.db.staffUser.updateMany({ where: { id: leaver }, data: { disabledAt: new Date() } });
    expect(await shown()).toMatchObject({ assignee_name: 'Sage Example', assignee_left: true });
    expect((await listAssignees(nurse)).map((one) => one.id)).not.toContain(leaver);
    expect(await fieldOf(make({ assignee_id: leaver }))).toEqual(['invalid_parameter', { pointer: '/assignee_id' }]);
    // Other fields can be changed as before.
    const titled = { title: 'Call them', assignee_id: leaver };
    expect(await change(id, titled)).toMatchObject(titled);
  });
});

test('a task about a booking without a patient shows the patient once it is attached', async () => {
  const { db } = clinic.ctx;
  const id = await insertUnmatched(clinic.ctx);
  const about = { subject_type: 'unmatched_booking', subject_id: id };
  const task = await make(about);
  expect(task).toMatchObject({ ...about, patient_id: null });
  const shown = async () => (await showTasks(nurse, { subject_id: id })).items[0];
  expect(await shown()).toMatchObject({ ...about, patient_name: null });
  await db.unmatchedAppointment.deleteMany({ where: { id } });
  await bookedBy(patientId, id);
  expect(await shown()).toMatchObject({ subject_type: 'appointment', patient_name: 'Ada Example' });
  expect(await make(about)).toMatchObject({ subject_type: 'appointment', patient_id: patientId });
});

describe('bad input', () => {
  test('is rejected at its field, and nothing is made', async () => {
    const { id: other } = await makePatient(clinic);
    const appointmentId = await bookedBy(patientId);
    const count = () => clinic.ctx.db.task.count();
    const before = await count();
    const reader = await member('Fern Example', 'read_only');
    const both = { assignee_id: nurseId, assignee_role: 'billing' };
    const about = { subject_type: 'appointment', subject_id: appointmentId };
    const cases: [object, string, string][] = [
      [both, 'invalid_parameter', '/assignee_role'],
      [{ assignee_id: newId() }, 'invalid_parameter', '/assignee_id'],
      [{ assignee_id: reader }, 'invalid_parameter', '/assignee_id'],
      [{ subject_type: 'appointment' }, 'invalid_parameter', '/subject_id'],
      [{ subject_id: appointmentId }, 'invalid_parameter', '/subject_type'],
      [{ subject_type: 'appointment', subject_id: 'none' }, 'invalid_parameter', '/subject_id'],
      [{ subject_type: 'unmatched_booking', subject_id: newId() }, 'invalid_parameter', '/subject_id'],
      [{ subject_type: 'subscription', subject_id: 'sub_none' }, 'invalid_parameter', '/subject_id'],
      [{ subject_type: 'payment', subject_id: 'in_none' }, 'invalid_parameter', '/subject_id'],
      [{ ...about, patient_id: other }, 'invalid_parameter', '/patient_id'],
      [{ patient_id: newId() }, 'not_found', '/patient_id'],
    ];
    for (const [input, code, pointer] of cases)
      expect([input, ...(await fieldOf(make(input)))]).toEqual([input, code, { pointer }]);
    expect(await count()).toBe(before);
  });

  test.each([
    { title: '' },
    { title: 'x'.repeat(201) },
    { title: 'a\u0000b' },
    { title: 'a\u202Eb' },
    { title: '\u200B\u200B' },
    { note: 'x'.repeat(1_000_000) },
    { due_date: '2027-02-30' },
    { due_date: '2027-02-29' },
    { due_date: 'soon' },
    { due_date: '0000-02-29' },
    { due_date: '9999-12-31' },
    { assignee_role: 'owner' },
    { subject_type: 'letter', subject_id: '1' },
    { color: 'red' },
  ])('%j does not fit the schema', (input) => {
    expect(CreateTaskInput.safeParse({ title: 'Call', ...input }).success).toBe(false);
  });
});

describe('a list', () => {
  test('has open tasks by due date, those without one last, on pages that join', async () => {
    const { id: own } = await makePatient(clinic);
    const due = [null, '2027-05-02', '2027-05-01', '2027-05-02', null];
    for (const due_date of due) await make({ patient_id: own, due_date });
    const seen: (string | null)[] = [];
    let after: string | null = null;
    do {
      const page = await list({ patient_id: own, size: 2, ...(after && { starting_after: after }) });
      seen.push(...page.items.map(({ due_date }) => due_date));
      after = page.next;
    } while (after);
    expect(seen).toEqual(['2027-05-01', '2027-05-02', '2027-05-02', null, null]);
    const back = await list({ patient_id: own, size: 1000 });
    const middle = await list({ patient_id: own, size: 2, ending_before: back.items[3]!.id });
    expect(middle.items).toEqual(back.items.slice(1, 3));
    expect((await list({ patient_id: own, due_until: '2027-05-01' })).items).toHaveLength(1);
  });

  test('has completed tasks alone by completion, the latest first', async () => {
    const { id: own } = await makePatient(clinic);
    const ids: string[] = [];
    for (const title of ['One', 'Two', 'Three']) ids.push((await make({ patient_id: own, title })).id);
    for (const id of [ids[1]!, ids[0]!]) {
      await change(id, { status: 'completed' });
      await clinic.ctx.db.$executeRaw`select pg_sleep(0.002)`;
    }
    const titles = async (input: object) =>
      (await list({ patient_id: own, ...input })).items.map(({ title }) => title).join(' ');
    expect(await titles({})).toBe('Three');
    expect(await titles({ status: 'completed' })).toBe('One Two');
    expect((await titles({ status: 'open,completed' })).split(' ').sort()).toEqual(['One', 'Three', 'Two']);
  });

  test('of mine has my own tasks, those of my role and anyone’s; an admin’s also those of colleagues who left', async () => {
    const desk = await member('Briar Example', 'front_desk');
    const { id: own } = await makePatient(clinic);
    const mine = await make({ patient_id: own, assignee_id: desk });
    const ours = await make({ patient_id: own, assignee_role: 'front_desk' });
    await make({ patient_id: own, assignee_role: 'billing' });
    const anyones = await make({ patient_id: own });
    const leaver = await member('Sage Example');
    const left = await make({ patient_id: own, assignee_id: leaver });
    await clinic.ctx.db.staffUser.updateMany({ where: { id: leaver }, data: { disabledAt: new Date() } });
    const ctx = asStaff(clinic.services, clinic.tenant, 'front_desk', desk);
    const ids = async (whose?: 'mine', as = ctx) =>
      (await showTasks(as, { patient_id: own, ...(whose && { whose }) })).items.map(({ id }) => id);
    expect((await ids('mine')).sort()).toEqual([mine.id, ours.id, anyones.id].sort());
    expect(await ids()).toHaveLength(5);
    const admin = asStaff(clinic.services, clinic.tenant, 'admin');
    expect((await ids('mine', admin)).sort()).toEqual([anyones.id, left.id].sort());
  });
});

test('tasks are for staff and for applications with the scope, of one clinic', async () => {
  const { id } = await make({ patient_id: patientId });
  const { services, tenant } = clinic;
  const reader = asApplication(services, tenant, ['tasks:read']);
  expect(await getTask(reader, { id })).toMatchObject({ id });
  expect(await getTask(asStaff(services, tenant, 'read_only'), { id })).toMatchObject({ id });
  const codeOf = async (call: Promise<unknown>) => (await errorOf(call)).code;
  for (const ctx of [reader, asStaff(services, tenant, 'read_only'), asPatient(services, tenant, patientId)]) {
    expect(await codeOf(make({}, ctx))).toBe('forbidden');
    expect(await codeOf(change(id, { status: 'completed' }, ctx))).toBe('forbidden');
  }
  for (const ctx of [asPatient(services, tenant, patientId), asApplication(services, tenant, ['patients:read'])]) {
    expect(await codeOf(getTask(ctx, { id }))).toBe('forbidden');
    expect(await codeOf(list({}, ctx))).toBe('forbidden');
  }
  const elsewhere = asPractitioner(services, await makeTenant(services));
  expect(await codeOf(getTask(elsewhere, { id }))).toBe('not_found');
  expect(await codeOf(change(id, { status: 'completed' }, elsewhere))).toBe('not_found');
  expect(await codeOf(make({ patient_id: patientId }, elsewhere))).toBe('not_found');
  expect((await list({}, elsewhere)).items).toEqual([]);
});
