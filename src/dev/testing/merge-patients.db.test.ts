import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ListTimelineInput } from '#contract/timeline.ts';
import { listEntries } from '#server/audit/list-entries.ts';
import { moveLateRows } from '#server/care/merge-patients.ts';
import { MOVED_TABLES } from '#server/care/move-rows.ts';
import { exportChart } from '#server/chart/export-chart.ts';
import { listTimeline } from '#server/chart/list-timeline.ts';
import { Prisma } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { updateCustomer } from '#server/customers/customer.ts';
import { createNote } from '#server/notes/create-note.ts';
import { saveNoteDraft } from '#server/notes/save-draft.ts';
import { showNotes } from '#server/notes/show-notes.ts';
import { updateClients } from '#server/scheduling/sync/update-clients.ts';
import { createTask } from '#server/tasks/create-task.ts';
import { type CareBench, withCare } from './care.ts';
import { SANDBOX, withClinic } from './clinic.ts';
import { codeOf, type Merging, merging } from './merging.ts';
import { ACCOUNT } from './scheduling.ts';

let care: CareBench;
let admin: Merging['admin'];
let nurse: Merging['nurse'];
let make: Merging['make'];
let preview: Merging['preview'];
let merge: Merging['merge'];
let eventsOf: Merging['eventsOf'];
beforeAll(async () => {
  care = await withCare(await withClinic(SANDBOX));
  ({ admin, nurse, make, preview, merge, eventsOf } = merging(care));
});
afterAll(() => care?.stop());
afterEach(() => care.heal());

const timelineOf = async (id: string) => (await listTimeline(nurse, ListTimelineInput.parse({ patient_id: id }))).items;

describe('merging two records', () => {
  test('moves appointments, subscriptions, payments, tasks and notes, and archives the other record', async () => {
    const [id, otherId] = [
      await make({ first_name: 'Wei' }),
      await make({ first_name: 'Way', email: 'way@example.test' }),
    ];
    const [appointment, subscription] = [await care.book(otherId), await care.subscribe(otherId)];
    const task = await createTask(nurse, { title: 'Call', patient_id: otherId });
    await createNote(nurse, { patient_id: otherId, text: 'Sleeps badly.' });
    await createNote(nurse, { patient_id: otherId, appointment_id: appointment, text: 'Bring the letter.' });
    await saveNoteDraft(nurse, { target_type: 'patient', target_id: otherId, text: 'Not finished' });
    await care.db.payment.create({ data: paymentOf(otherId, subscription) });

    expect(await preview(id, otherId)).toMatchObject({
      moves: { appointments: 1, upcoming: 1, notes: 2, tasks: 1, subscriptions: 1, payments: 1 },
      overlapping: 0,
      sign_in: 'none',
      cards: 'move',
      obstacles: [],
    });
    const merged = await merge(id, otherId);
    expect(merged).toMatchObject({ id, first_name: 'Wei', email: 'way@example.test', email_verified: false });

    const old = await care.read(otherId);
    expect(old).toMatchObject({ status: 'archived', merged_into: id, can_sign_in: false, email: null });
    expect((await care.send('GET', `/appointments/${appointment}`)).body).toMatchObject({
      id: appointment,
      patient_id: id,
      status: 'scheduled',
    });
    expect((await care.send('GET', `/subscriptions/${subscription}`)).body.patient_id).toBe(id);
    expect((await care.send('GET', `/tasks/${task.id}`)).body.patient_id).toBe(id);
    expect((await care.send('GET', `/payments?patient_id=${id}`)).body).toHaveLength(1);
    const { notes, draft } = await notesOf(id);
    expect(notes.map(({ text }) => text).sort()).toEqual(['Bring the letter.', 'Sleeps badly.']);
    expect(draft?.text).toBe('Not finished');
    expect(await rowsOf(otherId)).toEqual([]);
    await updateClients(care.clinic.services, { tenantId: care.tenantId, patientId: id });
    const account = care.clinic.acuity.emulator.world.state.accounts[ACCOUNT.user_id]!;
    expect(account.appointments.find(({ canceled, email }) => !canceled && email === 'way@example.test')).toMatchObject(
      {
        firstName: 'Wei',
      },
    );
    // Further changes work: the appointment is canceled at the provider, the subscription ended at Stripe.
    expect((await care.send('POST', `/appointments/${appointment}/cancel`, {})).body).toMatchObject({
      patient_id: id,
      status: 'canceled',
    });
    expect((await care.send('POST', `/subscriptions/${subscription}/cancel`, {})).status).toBe(200);
  });

  test('reports both ids, and the values that the patient got', async () => {
    const [id, otherId] = [await make(), await make({ birth_date: '1990-04-12', tag_list: ['diabetes'] })];
    await merge(id, otherId);
    const [archived] = (await eventsOf(otherId)).filter(({ topic }) => topic === 'archived');
    expect(archived?.payload).toMatchObject({ id: otherId, status: 'archived', merged_into: id });
    const events = await eventsOf(id);
    expect(events.map(({ topic }) => topic)).toEqual(['created', 'updated', 'merged']);
    expect(events[2]?.payload).toMatchObject({
      id,
      merged_patient_id: otherId,
      birth_date: '1990-04-12',
      tag_list: ['diabetes'],
    });
    const { actorId, details } = await care.db.auditEntry.findFirstOrThrow({
      where: { action: 'patients.merge', objectId: id },
    });
    expect([actorId, details]).toEqual([
      (admin.actor as { userId: string }).userId,
      { merged_patient_id: otherId, taken: ['birth_date'] },
    ]);
    const { items } = await listEntries(admin, { action: 'patients.merge', patient_id: id });
    expect(items).toMatchObject([{ patients: [{ id }, { id: otherId }], patient_count: 2 }]);
  });

  test('keeps a date of birth from before the limit for new ones', async () => {
    const [id, otherId] = [await make(), await make()];
    await care.db.patient.update({
      where: { tenantId_id: { tenantId: care.tenantId, id: otherId } },
      data: { birthDate: new Date('1895-04-12') },
    });
    expect(await merge(id, otherId)).toMatchObject({ birth_date: '1895-04-12' });
  });

  test('takes the chosen values only, and keeps phones, addresses and tags of both', async () => {
    const home = { line1: '12 Example Street', city: 'Springfield' };
    const own = {
      ...{
        first_name: 'Wei',
        last_name: 'Example',
        birth_date: '1990-04-12',
        external_id: 'crm-1',
        time_zone: 'Europe/Paris',
      },
      ...{ phone_number: '+12025550123', tag_list: ['a'], addresses_attributes: [home], metadata: { source: 'web' } },
    };
    const other = {
      ...{ first_name: 'Way', last_name: 'Example', birth_date: '1990-12-04', external_id: 'crm-2', language: 'es' },
      ...{ phone_number: '+12025550199', tag_list: ['b', 'a'], metadata: { source: 'desk' } },
      phones_attributes: [{ number: '+12025550123', label: 'home' }],
      addresses_attributes: [home, { line1: '1 Sample Road' }],
    };
    const [id, otherId] = [await make(own), await make(other)];
    const { fields } = await preview(id, otherId);
    expect(fields.map(({ field, takes_other }) => [field, takes_other])).toEqual([
      ['first_name', false],
      ['birth_date', false],
      ['phone_number', false],
      ['language', true],
      ['external_id', false],
      ['metadata', false],
    ]);
    const merged = await merge(id, otherId, {
      take: ['birth_date', 'phone_number', 'external_id', 'time_zone', 'email'],
    });
    expect(merged).toMatchObject({
      ...{ first_name: 'Wei', birth_date: '1990-12-04', external_id: 'crm-2', language: null, email: null },
      // The other record has none.
      time_zone: 'Europe/Paris',
      ...{
        phone_number: '+12025550199',
        phone_number_verified: false,
        tag_list: ['a', 'b'],
        metadata: { source: 'web' },
      },
    });
    expect(merged.phones.map(({ number, primary }) => [number, primary])).toEqual([
      ['+12025550123', false],
      ['+12025550199', true],
    ]);
    expect(merged.addresses.map(({ line1, primary }) => [line1, primary])).toEqual([
      ['12 Example Street', true],
      ['1 Sample Road', false],
    ]);
    expect(await care.read(otherId)).toMatchObject({ external_id: null, phone_number: '+12025550199' });
  });

  test('returns the same when it is repeated, and records nothing more', async () => {
    const [id, otherId] = [await make({ first_name: 'Wei' }), await make({ last_name: 'Example' })];
    const { patient, other } = await preview(id, otherId);
    const input = {
      ...{ id, other_id: otherId, take: ['last_name' as const] },
      ...{ updated_at: patient.updated_at, other_updated_at: other.updated_at },
    };
    const outcomes = await Promise.all([1, 2, 3].map(() => care.caller(admin).patients.merge(input)));
    expect(new Set(outcomes.map((one) => JSON.stringify(one))).size).toBe(1);
    expect((await eventsOf(id)).map(({ topic }) => topic)).toEqual(['created', 'updated', 'merged']);
    expect((await eventsOf(otherId)).map(({ topic }) => topic)).toEqual(['created', 'archived']);
  });

  test('shows the history of both in the timeline, and all of it in the export', async () => {
    const [id, otherId] = [await make({ first_name: 'Wei' }), await make({ first_name: 'Way' })];
    const appointment = await care.book(otherId);
    await merge(id, otherId);
    const lines = await timelineOf(id);
    expect(lines.map(({ title, note }) => [title, note])).toEqual([
      ['Another record was merged into this one', null],
      [expect.stringMatching(/booked|scheduled/i), null],
      ['Added as a patient', 'On the record that was merged into this one'],
      ['Added as a patient', null],
    ]);
    expect(lines[1]?.about?.id).toBe(appointment);
    expect((await timelineOf(otherId))[0]?.title).toBe('The record was merged into another one');
    let json = '';
    for await (const part of await exportChart(admin, { patient_id: id, format: 'json' })) json += part;
    const chart = JSON.parse(json);
    expect(chart.patient_id).toBe(id);
    expect(chart.patient.map((row: { id: string }) => row.id)).toEqual([id, otherId]);
    expect(chart.visits).toHaveLength(1);
  });

  test('redirects records that were merged into the other one before', async () => {
    const [first, second, third] = [await make(), await make(), await make()];
    await merge(second, first);
    await merge(third, second);
    expect([(await care.read(first)).merged_into, (await care.read(second)).merged_into]).toEqual([third, third]);
    expect((await eventsOf(first)).at(-1)).toMatchObject({ topic: 'updated', payload: { merged_into: third } });
  });
});

describe('a merge is rejected', () => {
  test('for one record twice, unknown ones, and those of other clinics', async () => {
    const id = await make();
    const { tenantId } = care.clinic.otherCtx;
    const elsewhere = newId();
    await care.clinic.otherCtx.db.patient.create({ data: { id: elsewhere, tenantId } });
    expect(await codeOf(preview(id, id))).toBe('invalid_parameter');
    for (const [a, b] of [
      [id, newId()],
      [newId(), id],
      [id, elsewhere],
      [elsewhere, id],
    ] as const) {
      expect(await codeOf(preview(a, b))).toBe('not_found');
      const at = new Date().toISOString();
      const call = care
        .caller(admin)
        .patients.merge({ id: a, other_id: b, take: [], updated_at: at, other_updated_at: at });
      expect(await codeOf(call)).toBe('not_found');
    }
    expect(await care.clinic.otherCtx.db.patient.findFirstOrThrow({ where: { id: elsewhere } })).toMatchObject({
      mergedInto: null,
      status: 'active',
    });
  });

  test('for other staff, applications and patients', async () => {
    const [id, otherId] = [await make(), await make()];
    const { tenantId } = care;
    const application = care.as({ kind: 'application', tenantId, clientId: newId(), scopes: new Set(['admin']) });
    const own = care.as({ kind: 'patient', tenantId, patientId: id, clientId: newId(), impersonatedBy: null });
    for (const ctx of [nurse, application, own]) {
      expect(await codeOf(preview(id, otherId, ctx))).toBe('forbidden');
      expect(await codeOf(merge(id, otherId, { ctx }))).toBe('forbidden');
    }
  });

  test('for archived records and ending care, on either side', async () => {
    const [id, archived, ending] = [await make(), await make(), await make()];
    await care.archive(archived);
    await care.book(ending);
    await care.endCare(ending);
    for (const [a, b] of [
      [id, archived],
      [archived, id],
      [id, ending],
      [ending, id],
    ] as const) {
      expect((await preview(a, b)).obstacles).toMatchObject([{ reason: 'archived' }]);
      expect(await codeOf(merge(a, b))).toBe('conflict');
    }
    await care.settle(ending);
  });

  test('when both have a subscription that has not ended', async () => {
    const [id, otherId] = [await make(), await make()];
    const [own] = [await care.subscribe(id), await care.subscribe(otherId)];
    expect((await preview(id, otherId)).obstacles).toMatchObject([
      { reason: 'subscriptions', detail: expect.stringContaining('End one of them first') },
    ]);
    expect(await codeOf(merge(id, otherId))).toBe('conflict');
    await care.send('POST', `/subscriptions/${own}/cancel`, {});
    expect((await merge(id, otherId)).id).toBe(id);
    expect(await care.db.subscription.count({ where: { patientId: id } })).toBe(2);
  });

  test('while a change is being made at a provider', async () => {
    const [id, otherId] = [await make(), await make()];
    const appointment = await care.book(otherId);
    const where = { tenantId_id: { tenantId: care.tenantId, id: appointment } };
    await care.db.appointment.update({ where, data: { pendingChange: { kind: 'cancel' } } });
    expect((await preview(id, otherId)).obstacles).toMatchObject([{ reason: 'under_way' }]);
    expect(await codeOf(merge(id, otherId))).toBe('conflict');
    await care.db.appointment.update({ where, data: { pendingChange: Prisma.DbNull } });
    expect((await merge(id, otherId)).id).toBe(id);
  });

  test('when they have more phone numbers, addresses or tags than a patient may have', async () => {
    const tags = (letter: string) => Array.from({ length: 51 }, (_, n) => `${letter}${n}`);
    const [id, otherId] = [await make({ tag_list: tags('a') }), await make({ tag_list: tags('b') })];
    expect((await preview(id, otherId)).obstacles).toMatchObject([{ reason: 'too_much' }]);
    expect(await codeOf(merge(id, otherId))).toBe('conflict');
    const refused = await care.db.auditEntry.findFirstOrThrow({ where: { action: 'patients.merge', objectId: id } });
    expect([refused.outcome, refused.patientIds.sort()]).toEqual(['conflict', [id, otherId].sort()]);
  });

  test('when another record was merged into one since the preview', async () => {
    const [id, otherId, third] = [await make(), await make(), await make()];
    const { patient, other } = await preview(id, otherId);
    await merge(otherId, third);
    const input = {
      id,
      other_id: otherId,
      take: [],
      updated_at: patient.updated_at,
      other_updated_at: other.updated_at,
    };
    expect(await codeOf(care.caller(admin).patients.merge(input))).toBe('conflict');
  });

  test('when a record was changed since the preview', async () => {
    const [id, otherId] = [await make(), await make()];
    const { patient, other } = await preview(id, otherId);
    await care.send('PATCH', `/patients/${otherId}`, { first_name: 'Way' });
    const input = {
      id,
      other_id: otherId,
      take: [],
      updated_at: patient.updated_at,
      other_updated_at: other.updated_at,
    };
    expect(await codeOf(care.caller(admin).patients.merge(input))).toBe('conflict');
    expect(await care.read(otherId)).toMatchObject({ status: 'active', merged_into: null });
  });
});

describe('what both records have', () => {
  test('two appointments at one time both remain, and may overlap', async () => {
    const [id, otherId] = [await make(), await make()];
    const { calendar_id: _, ...wish } = care.wish(id) as Record<string, unknown>;
    const [own, second] = [await care.send('POST', '/appointments', wish), await care.book(otherId)];
    const claim = await care.db.slotClaim.findFirstOrThrow({ where: { appointmentId: own.body.id } });
    // As if it was booked in another calendar at the same time.
    await care.db.slotClaim.updateMany({
      where: { appointmentId: second },
      data: { startAt: claim.startAt, endAt: claim.endAt, calendarId: claim.calendarId + 1000 },
    });
    expect((await preview(id, otherId)).overlapping).toBe(1);
    await merge(id, otherId);
    const claims = await care.db.slotClaim.findMany({ where: { patientId: id } });
    expect(claims.map(({ overlapOk }) => overlapOk).sort()).toEqual([false, true]);
  });

  test('two customers: the one with the subscription becomes the patient’s, and gets the patient’s name', async () => {
    const [id, otherId] = [await make({ first_name: 'Wei' }), await make({ first_name: 'Way' })];
    await care.send('POST', `/subscriptions/${await care.subscribe(id)}/cancel`, {});
    await care.subscribe(otherId);
    const customerOf = async (patientId: string) =>
      (await care.db.processorCustomer.findFirst({ where: { patientId } }))?.customerId;
    const [own, other] = [await customerOf(id), await customerOf(otherId)];
    expect((await preview(id, otherId)).cards).toBe('replace');
    await merge(id, otherId);
    expect([await customerOf(id), await customerOf(otherId)]).toEqual([other, own]);
    await updateCustomer(care.clinic.services, { tenantId: care.tenantId, patientId: id });
    const { accounts } = care.clinic.stripe.emulator.world.state;
    const customers = Object.values(accounts).flatMap(({ objects }) => Object.values(objects.customer));
    expect(customers.find((one) => one.id === other)).toMatchObject({ name: 'Wei', metadata: { patient_id: id } });
  });

  test('unfinished notes of one staff user: both remain', async () => {
    const [id, otherId] = [await make(), await make()];
    for (const target_id of [id, otherId])
      await saveNoteDraft(nurse, { target_type: 'patient', target_id, text: target_id });
    await merge(id, otherId);
    expect((await notesOf(id)).draft?.text).toBe(id);
    expect(await care.db.noteDraft.count({ where: { patientId: otherId } })).toBe(1);
  });
});

test('rows that a concurrent request stored for the merged record move later', async () => {
  const [id, otherId] = [await make(), await make()];
  await merge(id, otherId);
  const { tenantId } = care;
  const task = await createTask(nurse, { title: 'Late' });
  await care.db.task.update({ where: { id: task.id }, data: { patientId: otherId } });
  await moveLateRows(care.clinic.services, { tenantId, patientId: otherId });
  expect((await care.db.task.findFirstOrThrow({ where: { id: task.id } })).patientId).toBe(id);
});

/** The moved tables that still have rows of the patient. */
async function rowsOf(patientId: string): Promise<string[]> {
  const left = [];
  for (const table of MOVED_TABLES) {
    const [row] = await care.db.$queryRaw<{ count: number }[]>(
      Prisma.sql`select count(*)::int as count from ${Prisma.raw(table)} where patient_id = ${patientId}::uuid`,
    );
    if (row?.count) left.push(table);
  }
  return left;
}

async function notesOf(patientId: string) {
  const { items, drafts } = await showNotes(nurse, { patient_id: patientId });
  return { notes: items, draft: drafts[0] };
}

const paymentOf = (patientId: string, subscriptionId: string) => ({
  ...{ id: `in_${newId().slice(-8)}`, tenantId: care.tenantId, accountId: 'acct_1', subscriptionId, patientId },
  ...{ status: 'paid', currency: 'usd', subtotal: 1, discount: 0, tax: 0, total: 1, amountDue: 1, amountPaid: 1 },
  ...{ amountRemaining: 0, amountRefunded: 0, periodStart: new Date(), periodEnd: new Date() },
  ...{ createdAt: new Date(), updatedAt: new Date() },
});
