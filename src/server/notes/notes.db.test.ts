import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CreateNoteInput,
  SaveNoteDraftInput,
  SearchNotesInput,
  ShowNotesInput,
  UpdateNoteInput,
} from '#contract/notes.ts';
import { asApplication, asPatient, asPractitioner, asStaff, makeTenant } from '#dev/testing/actors.ts';
import { dumpDatabase, findCanaries } from '#dev/testing/canaries.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { errorOf, insertAppointment, makePatient } from '#dev/testing/scheduling.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { showCalendar } from '#server/scheduling/appointments/show-calendar.ts';
import { getAppointmentNote, setAppointmentNote } from './appointment-note.ts';
import { createNote } from './create-note.ts';
import { saveNoteDraft } from './save-draft.ts';
import { searchNotes } from './search-notes.ts';
import { listNoteVersions, showNotes } from './show-notes.ts';
import { updateNote } from './update-note.ts';

let clinic: Clinic;
let nurse: Context;
let colleague: Context;
beforeAll(async () => {
  clinic = await withClinic();
  nurse = await staff('Rowan Example');
  colleague = await staff('Briar Example');
});
afterAll(() => clinic?.stop());

async function staff(name: string): Promise<Context> {
  const id = newId();
  const { tenantId } = clinic.ctx;
  await clinic.ctx.db.staffUser.create({
    data: { id, tenantId, name, email: `${id}@example.test`, role: 'practitioner' },
  });
  return asPractitioner(clinic.services, clinic.tenant, id);
}
const patient = async () => (await makePatient(clinic)).id;
const write = (patient_id: string, input: object = {}, ctx = nurse) =>
  createNote(ctx, CreateNoteInput.parse({ patient_id, text: 'Sleeps badly.', ...input }));
const change = (id: string, input: object, ctx = nurse) => updateNote(ctx, UpdateNoteInput.parse({ id, ...input }));
const show = (patient_id: string, input: object = {}, ctx = nurse) =>
  showNotes(ctx, ShowNotesInput.parse({ patient_id, ...input }));
const texts = async (patient_id: string, input: object = {}) =>
  (await show(patient_id, input)).items.map(({ text }) => text);
const search = async (patient_id: string, words: string) =>
  (await searchNotes(nurse, SearchNotesInput.parse({ patient_id, search: words }))).items.map(({ text }) => text);
const draft = (input: object, ctx = nurse) => saveNoteDraft(ctx, SaveNoteDraftInput.parse(input));
const entriesOf = async (objectId: string) =>
  (await clinic.ctx.db.auditEntry.findMany({ where: { objectId }, orderBy: { position: 'asc' } })).map(
    ({ action, details }) => [action, details],
  );

describe('a note', () => {
  test('has paragraphs, an author and a time; HTML in it is text', async () => {
    const id = await patient();
    const text = 'First <b>paragraph</b>\n\n\tSecond & last';
    const note = await write(id, { text: `  ${text.replaceAll('\n', '\r\n')}\r\n` });
    expect(note).toMatchObject({ patient_id: id, text, version: 1, pinned: false, created_by_name: 'Rowan Example' });
    expect(await show(id)).toEqual({ items: [note], next: null, prev: null, drafts: [] });
    expect(await entriesOf(note.id)).toEqual([['notes.create', {}]]);
  });

  test('sent again, because its response was lost, is one; a colleague’s equal text is another', async () => {
    const id = await patient();
    const appointment_id = await insertAppointment(clinic.ctx, id);
    for (const about of [{}, { appointment_id }]) {
      const first = await write(id, about);
      expect(await write(id, about)).toEqual(first);
    }
    const [one, other] = await Promise.all([write(id, { text: 'Twice' }), write(id, { text: 'Twice' })]);
    expect(one).toEqual(other);
    await write(id, {}, colleague);
    await write(id, { text: 'Another' });
    await write(id);
    const slept = 'Sleeps badly.';
    expect(await texts(id)).toEqual([slept, 'Another', slept, 'Twice', slept, slept]);
  });

  test('keeps earlier texts when it is changed or removed, with who wrote each', async () => {
    const id = await patient();
    const note = await write(id, { text: 'One' });
    expect(await change(note.id, { text: 'One', version: 1 })).toEqual(note);
    expect(await change(note.id, { text: 'Two', version: 1 }, colleague)).toMatchObject({
      ...{ text: 'Two', version: 2, created_by_name: 'Rowan Example', updated_by_name: 'Briar Example' },
    });
    expect(await change(note.id, { text: null, version: 2 })).toMatchObject({ text: null, version: 3 });
    expect(await change(note.id, { text: 'Three', version: 3 })).toMatchObject({ text: 'Three', version: 4 });
    expect(await listNoteVersions(nurse, { id: note.id })).toMatchObject([
      { version: 3, text: null, written_by_name: 'Rowan Example' },
      { version: 2, text: 'Two', written_by_name: 'Briar Example' },
      { version: 1, text: 'One', written_by_name: 'Rowan Example', written_at: note.created_at },
    ]);
    const fields = ['text'];
    expect(await entriesOf(note.id)).toEqual([
      ...[['notes.create', {}]],
      ...[['notes.update', { fields }]],
      ...[['notes.remove', { fields }]],
      ...[['notes.update', { fields }]],
    ]);
  });

  test('changed by two at the same time is changed by one; the other gets an error, and no text is lost', async () => {
    const note = await write(await patient());
    const both = await Promise.all([
      change(note.id, { text: 'Mine', version: 1 }).catch((error) => error.code),
      change(note.id, { text: 'Theirs', version: 1 }, colleague).catch((error) => error.code),
    ]);
    expect(both.filter((one) => one === 'conflict')).toHaveLength(1);
    expect(both.find((one) => one !== 'conflict')).toMatchObject({ version: 2 });
    expect(await listNoteVersions(nurse, { id: note.id })).toMatchObject([{ text: 'Sleeps badly.' }]);
  });

  test('is pinned before the others, without a new version', async () => {
    const id = await patient();
    const [first] = [await write(id, { text: '1' }), await write(id, { text: '2' })];
    await write(id, { text: '3', pinned: true });
    expect(await texts(id)).toEqual(['3', '2', '1']);
    expect(await change(first.id, { pinned: true })).toMatchObject({ pinned: true, version: 1 });
    expect(await texts(id)).toEqual(['3', '1', '2']);
    expect(await change(first.id, { pinned: false })).toEqual(first);
    expect((await entriesOf(first.id)).slice(1)).toEqual([
      ['notes.update', { fields: ['pinned'], pinned: true }],
      ['notes.update', { fields: ['pinned'], pinned: false }],
    ]);
  });

  test('is listed by pages, each once, with the total', async () => {
    const id = await patient();
    for (let n = 1; n <= 5; n += 1) await write(id, { text: `${n}`, pinned: n === 2 });
    const first = await show(id, { size: 2, with_total: true });
    expect(first).toMatchObject({ total: { count: 5, capped: false } });
    const second = await show(id, { size: 2, starting_after: first.next });
    expect([...first.items, ...second.items].map(({ text }) => text)).toEqual(['2', '5', '4', '3', '1']);
    expect(second.next).toBeNull();
  });

  test('is found by its words, in any order, without regard to case and accents', async () => {
    const id = await patient();
    const appointment = await insertAppointment(clinic.ctx, id);
    await write(id, { text: 'Allergic to Penicillín' });
    await write(id, { text: 'Penicillin is well tolerated', pinned: true });
    await write(id, { text: 'Discussed penicillin again', appointment_id: appointment });
    await write(await patient(), { text: 'Another patient’s penicillin' });
    expect(await search(id, 'PENICILLIN')).toEqual([
      ...['Penicillin is well tolerated', 'Discussed penicillin again', 'Allergic to Penicillín'],
    ]);
    expect(await search(id, 'penicillin allerg')).toEqual(['Allergic to Penicillín']);
    expect(await search(id, 'aspirin')).toEqual([]);
    expect(await search(id, '  ')).toEqual([]);
  });
});

describe('a note on an appointment', () => {
  test('is shown with it and with the patient; the first is the one that the API reads', async () => {
    const id = await patient();
    const appointmentId = await insertAppointment(clinic.ctx, id);
    const about = { appointment_id: appointmentId };
    const first = await write(id, { text: 'Bring the X-ray', ...about });
    expect(first).toMatchObject({ id: appointmentId, appointment: { id: appointmentId, type: 'Follow-up' } });
    const second = await write(id, { text: 'Came late', ...about });
    await write(id, { text: 'Not about it' });
    expect(await texts(id, about)).toEqual(['Came late', 'Bring the X-ray']);
    expect(await texts(id)).toEqual(['Not about it', 'Came late', 'Bring the X-ray']);
    const app = asApplication(clinic.services, clinic.tenant);
    const read = async () => (await getAppointmentNote(app, { id: appointmentId })).note;
    expect(await read()).toBe('Bring the X-ray');
    await change(first.id, { text: 'Bring the X-ray and the letter', version: 1 });
    expect(await read()).toBe('Bring the X-ray and the letter');
    await change(second.id, { text: null, version: 1 });
    expect(await read()).toBe('Bring the X-ray and the letter');
    await change(first.id, { text: null, version: 2 });
    expect(await read()).toBeNull();
    expect(await write(id, { text: 'New', ...about })).not.toMatchObject({ id: appointmentId });
  });

  test('that the API sets has versions, too; an equal text changes nothing', async () => {
    const id = await patient();
    const appointmentId = await insertAppointment(clinic.ctx, id);
    const app = asApplication(clinic.services, clinic.tenant);
    const set = (note: string | null) => setAppointmentNote(app, { id: appointmentId, note });
    for (const note of ['One', 'One', null, 'Two']) await set(note);
    expect((await show(id)).items).toMatchObject([{ id: appointmentId, text: 'Two', version: 3 }]);
    expect((await listNoteVersions(nurse, { id: appointmentId })).map(({ text }) => text)).toEqual([null, 'One']);
    // A writer who has read the version before.
    expect(await errorOf(change(appointmentId, { text: 'Mine', version: 2 }))).toMatchObject({ code: 'conflict' });
  });

  test('of an earlier release is among them, with its author from the audit log', async () => {
    const id = await patient();
    const [known, unknown] = [await insertAppointment(clinic.ctx, id), await insertAppointment(clinic.ctx, id)];
    const { db, tenantId, cipher } = clinic.ctx;
    for (const row of [known, unknown]) {
      const staffNote = cipher.seal('As before', `appointments/${tenantId}/${row}/staff_note`);
      await db.appointment.updateMany({ where: { id: row }, data: { staffNote } });
    }
    await db.$transaction((tx) =>
      record(tx, colleague, {
        action: 'appointments.set_note',
        object: { type: 'Appointment', id: known },
        patientId: id,
        details: { written: true },
      }),
    );
    const shown = await show(id);
    expect(shown.items.find((one) => one.id === known)).toMatchObject({
      ...{ text: 'As before', version: 1, created_by_name: 'Briar Example', appointment: { id: known } },
    });
    expect(shown.items.find((one) => one.id === unknown)).toMatchObject({ text: 'As before', created_by_name: null });
    expect(await show(id)).toEqual(shown);
    expect(await change(known, { text: 'Changed', version: 1 })).toMatchObject({ text: 'Changed', version: 2 });
    expect(await listNoteVersions(nurse, { id: known })).toMatchObject([
      { text: 'As before', written_by_name: 'Briar Example' },
    ]);
  });

  test('marks the appointment in the calendar, for staff who may read notes', async () => {
    const id = await patient();
    const [one, two, none] = [
      await insertAppointment(clinic.ctx, id),
      await insertAppointment(clinic.ctx, id),
      await insertAppointment(clinic.ctx, id),
    ];
    await write(id, { appointment_id: one });
    await write(id, { appointment_id: two });
    await write(id, { appointment_id: two, text: 'Second' });
    await change(two, { text: null, version: 1 });
    const marked = async (ctx: Context) =>
      (await showCalendar(ctx, {})).items
        .filter(({ has_note, patient_id }) => has_note && patient_id === id)
        .map((shown) => shown.id);
    expect((await marked(nurse)).sort()).toEqual([one, two].sort());
    expect(await marked(asStaff(clinic.services, clinic.tenant, 'front_desk'))).toEqual([]);
    expect(none).toBeDefined();
  });
});

describe('a draft', () => {
  test('is its author’s alone, one for each thing that is written, and goes when it is saved', async () => {
    const id = await patient();
    const appointment_id = await insertAppointment(clinic.ctx, id);
    const note = await write(id);
    const ofPatient = { target_type: 'patient', target_id: id };
    const ofAppointment = { target_type: 'appointment', target_id: appointment_id };
    const ofNote = { target_type: 'note', target_id: note.id };
    await draft({ ...ofPatient, text: 'Sle' });
    await draft({ ...ofPatient, text: 'Sleeps \n' });
    await draft({ ...ofAppointment, text: 'Comes la' });
    await draft({ ...ofNote, text: 'Sleeps better', version: 1 });
    await draft({ ...ofPatient, text: 'Theirs' }, colleague);
    const drafts = async (ctx = nurse) => (await show(id, {}, ctx)).drafts.map(({ text }) => text).sort();
    expect(await drafts()).toEqual(['Comes la', 'Sleeps \n', 'Sleeps better']);
    expect(await drafts(colleague)).toEqual(['Theirs']);
    expect((await show(id)).drafts).toContainEqual(expect.objectContaining({ ...ofNote, version: 1 }));
    await write(id);
    expect(await drafts()).toEqual(['Comes la', 'Sleeps better']);
    await change(note.id, { text: 'Sleeps better', version: 1 });
    await write(id, { appointment_id });
    expect(await drafts()).toEqual([]);
    await draft({ ...ofPatient, text: ' ' }, colleague);
    expect(await drafts(colleague)).toEqual([]);
  });

  test('of two windows at the same time is the last; one that comes after its note is none', async () => {
    const id = await patient();
    const appointment_id = await insertAppointment(clinic.ctx, id);
    const note = await write(id, { text: 'Zero' });
    const targets = [
      { target_type: 'patient', target_id: id },
      { target_type: 'appointment', target_id: appointment_id },
      { target_type: 'note', target_id: note.id, version: 1 },
    ];
    for (const target of targets) {
      const texts = ['A', 'B', 'C', 'D'];
      await Promise.all(texts.map((text) => draft({ ...target, text })));
      const { drafts } = await show(id);
      expect(drafts).toHaveLength(1);
      expect(texts).toContain(drafts[0]!.text);
      const save = () => {
        if (target.version) return change(note.id, { text: 'Final', version: 1 });
        return write(id, { text: 'Final', ...(target.target_type === 'appointment' && { appointment_id }) });
      };
      await Promise.all([draft({ ...target, text: 'Final' }), save(), draft({ ...target, text: 'Final ' })]);
      await draft({ ...target, text: ' Final' });
      expect((await show(id)).drafts).toEqual([]);
    }
  });
});

test('no text is in the database, the events or the audit log', async () => {
  const id = await patient();
  const appointment_id = await insertAppointment(clinic.ctx, id);
  const canaries = new Map(['first', 'second', 'third', 'draft'].map((name) => [name, `Canary ${name} of a note`]));
  const { id: noteId } = await write(id, { text: canaries.get('first') });
  await change(noteId, { text: canaries.get('second'), version: 1 });
  await write(id, { appointment_id, text: canaries.get('third') });
  await draft({ target_type: 'patient', target_id: id, text: canaries.get('draft') });
  await search(id, 'canary');
  expect(findCanaries(canaries, await dumpDatabase(clinic.database.ownerUrl))).toEqual([]);
  expect(await clinic.ctx.db.event.count({ where: { objectId: { in: [noteId, appointment_id] } } })).toBe(0);
});

test('only staff with the permissions read and write notes, of their own clinic', async () => {
  const { services, tenant } = clinic;
  const id = await patient();
  const { id: noteId } = await write(id);
  const reader = asStaff(services, tenant, 'read_only');
  expect((await show(id, {}, reader)).items).toMatchObject([{ id: noteId }]);
  const others = [asApplication(services, tenant), asPatient(services, tenant, id)];
  for (const ctx of [...others, asStaff(services, tenant, 'front_desk'), asStaff(services, tenant, 'billing')]) {
    expect(await errorOf(show(id, {}, ctx))).toMatchObject({ code: 'forbidden' });
    expect(await errorOf(listNoteVersions(ctx, { id: noteId }))).toMatchObject({ code: 'forbidden' });
    expect(await errorOf(searchNotes(ctx, { patient_id: id, search: 'a' }))).toMatchObject({ code: 'forbidden' });
  }
  for (const ctx of [...others, reader]) {
    expect(await errorOf(write(id, {}, ctx))).toMatchObject({ code: 'forbidden' });
    expect(await errorOf(change(noteId, { pinned: true }, ctx))).toMatchObject({ code: 'forbidden' });
    const target = { target_type: 'patient', target_id: id, text: 'x' };
    expect(await errorOf(draft(target, ctx))).toMatchObject({ code: 'forbidden' });
  }
  const elsewhere = asPractitioner(services, await makeTenant(services));
  const denied = [
    () => show(id, {}, elsewhere),
    () => write(id, {}, elsewhere),
    () => change(noteId, { pinned: true }, elsewhere),
    () => listNoteVersions(elsewhere, { id: noteId }),
    () => searchNotes(elsewhere, { patient_id: id, search: 'sleeps' }),
    () => draft({ target_type: 'note', target_id: noteId, text: 'x' }, elsewhere),
  ];
  for (const call of denied) expect(await errorOf(call())).toMatchObject({ code: 'not_found' });
});

describe('bad input', () => {
  test('names what is not there, and nothing is written', async () => {
    const [id, other] = [await patient(), await patient()];
    const appointmentId = await insertAppointment(clinic.ctx, id);
    const count = () => clinic.ctx.db.note.count();
    const before = await count();
    expect(await errorOf(write(newId()))).toMatchObject({ code: 'not_found' });
    expect(await errorOf(write(id, { appointment_id: newId() }))).toMatchObject({ code: 'not_found' });
    expect(await errorOf(write(other, { appointment_id: appointmentId }))).toMatchObject({ code: 'not_found' });
    expect(await errorOf(change(newId(), { pinned: true }))).toMatchObject({ code: 'not_found' });
    expect(await errorOf(draft({ target_type: 'note', target_id: newId(), text: 'x' }))).toMatchObject({
      code: 'not_found',
    });
    expect(await count()).toBe(before);
  });

  test.each([
    { text: '' },
    { text: ' \n ' },
    { text: '\u200B' },
    { text: 'x'.repeat(10_001) },
    { text: 'x'.repeat(1_000_000) },
    { text: 'a\u0000b' },
    { text: 'a\u0007b' },
    { text: 'a\u001B[31mb' },
    { text: 'a\uD800b' },
    { text: 'A', color: 'red' },
  ])('%j does not fit the schema', (input) => {
    const { success, error } = CreateNoteInput.safeParse({ patient_id: newId(), ...input });
    expect(success).toBe(false);
    expect(new Set(error?.issues.map(({ path }) => path[0] ?? null)).size).toBe(1);
  });

  test('a change of the text names the version that it replaces', () => {
    const { error } = UpdateNoteInput.safeParse({ id: newId(), text: 'A' });
    expect(error?.issues).toMatchObject([{ path: ['version'] }]);
  });
});
