import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditAction, UNINDEXED_ACTIONS } from '#contract/audit-actions.ts';
import type { TimelineEntryView, TimelineKind } from '#contract/timeline.ts';
import { TIMELINE_KINDS } from '#contract/timeline.ts';
import { changesOf, listTimeline } from '#server/chart/list-timeline.ts';
import { contextFor } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { createStaffUser } from '#server/identity/staff/create-staff-user.ts';
import { createCaller } from '#server/router.ts';
import { refreshAppointment } from '#server/scheduling/sync/sync-appointment.ts';
import { asAdmin, asApplication, asPatient, asPractitioner, asStaff } from './actors.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { describeScans, explain, nodesOf, pagesTouchedBy, rowsReadBy } from './query-plan.ts';
import { makeTarget, readOffer } from './sample-targets.ts';
import { takeSlot } from './samples/sample.ts';
import { ACCOUNT } from './scheduling.ts';

let clinic: Sandbox;
let owner: pg.Client;
let token: string;
let nurse: ReturnType<typeof asPractitioner>;
let patientId: string;
const at = () => ({ id: clinic.ctx.tenantId });
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  owner = new pg.Client({ connectionString: clinic.database.ownerUrl });
  await owner.connect();
  token = await clinic.token(await clinic.application(clinic.ctx));
  const values = {
    email: 'nurse@example.test',
    name: 'Ada Nurse',
    role: 'practitioner',
    password: 'correct horse battery',
  } as const;
  const { id } = await createStaffUser(clinic.ctx, values);
  nurse = asPractitioner(clinic.services, at(), id);
  patientId = await newPatient('Timeline');
});
afterAll(async () => {
  await owner?.end();
  await clinic?.stop();
});

async function newPatient(first_name: string): Promise<string> {
  const created = await clinic.rest.call({ method: 'POST', path: '/patients', token, body: { first_name } });
  return created.body.id;
}
const timeline = async (input: object = {}, ctx = nurse) =>
  listTimeline(ctx, { patient_id: patientId, size: 100, ...input } as never);
const titles = async (input: object = {}) => (await timeline(input)).items.map(({ title }) => title);
const call = (method: string, path: string, body?: object, query?: object) =>
  clinic.rest.call({ method, path, token, ...(body && { body }), ...(query && { query }) } as never);

describe('a patient’s timeline', () => {
  test('lists each change with its author, latest first', async () => {
    const id = await newPatient('Wren');
    const own = { patient_id: id };
    const caller = createCaller(nurse);
    await caller.patients.update({ id, last_name: 'Example', tag_list: ['remote'] } as never);
    await call('GET', `/patients/${id}`);
    await caller.patients.get({ id });
    await caller.patients.archive({ id } as never);
    await caller.patients.archive({ id } as never);
    await caller.patients.unarchive({ id });
    const lines = (await timeline(own)).items;
    expect(lines.map(({ title, by }) => `${title} (${by})`)).toEqual([
      'The record was brought back from the archive (Ada Nurse)',
      'The record was archived (Ada Nurse)',
      'Details were changed (Ada Nurse)',
      'Added as a patient (Test application)',
    ]);
    expect(lines[2]).toMatchObject({ kind: 'record', note: expect.stringMatching(/^Last name, .*[Tt]ag list/) });
    expect(JSON.stringify(lines)).not.toContain('remote');
  });

  test('names appointments and subscriptions', async () => {
    const target = await makeTarget(clinic, token, await readOffer(clinic, token));
    const own = { patient_id: target.patientId };
    const canceled = await call('DELETE', `/appointments/${target.appointmentId}`);
    if (canceled.status >= 400) await call('POST', `/appointments/${target.appointmentId}/cancel`, {});
    const { items } = await timeline(own);
    const appointmentEntries = items.filter(({ kind }) => kind === 'visits');
    expect(appointmentEntries.at(-1)).toMatchObject({
      title: 'An appointment was booked',
      by: 'Test application',
      about: {
        id: target.appointmentId,
        name: expect.stringMatching(/, /),
        from_date: expect.stringMatching(/^20\d\d-/),
      },
    });
    expect(items.filter(({ kind }) => kind === 'subscriptions').at(-1)).toMatchObject({
      title: 'A subscription was started',
      about: { id: target.subscriptionId, from_date: null },
    });
    const part = await timeline({ ...own, object_id: target.appointmentId });
    expect(part.items).toEqual(appointmentEntries);
    const unreadable = createCaller(nurse).timeline.list({ ...own, patient_id: patientId, object_id: 'a\0b' });
    expect((await unreadable.catch(({ cause }) => cause)).issues).toMatchObject([{ path: ['object_id'] }]);
  });

  test('shows both times of a reschedule and the reason of a cancellation', async () => {
    const offer = await readOffer(clinic, token);
    const { patientId: patient_id, appointmentId: id } = await makeTarget(clinic, token, offer);
    const before = (await call('GET', `/appointments/${id}`)).body.from_date;
    const caller = createCaller(nurse);
    const moved = await caller.appointments.reschedule({ id, from_date: takeSlot(offer).from_date });
    await caller.appointments.cancel({ id, reason: 'A sprained ankle' });
    const { items } = await timeline({ patient_id, object_id: id });
    expect(items).toMatchObject([
      {
        title: 'An appointment was canceled',
        note: '“A sprained ankle” (the patient can read it)',
        by: 'Ada Nurse',
        about: { moved_from: null },
      },
      {
        title: 'An appointment was moved',
        note: null,
        by: 'Ada Nurse',
        about: { id, from_date: moved.from_date, moved_from: before },
      },
      { title: 'An appointment was booked', by: 'Test application', about: { from_date: before, moved_from: null } },
    ]);
    // The former time is unknown when the entry before is not on the page.
    const [, second] = (await timeline({ patient_id, object_id: id, size: 2 })).items;
    expect(second).toMatchObject({ title: 'An appointment was moved', about: { moved_from: null } });
    const log = await clinic.ctx.db.auditEntry.findMany({ where: { objectId: id }, select: { details: true } });
    expect(JSON.stringify(log)).not.toContain('ankle');
  });

  test('shows a calendar change without a webhook as the calendar’s', async () => {
    const offer = await readOffer(clinic, token);
    const { patientId: patient_id, appointmentId: id } = await makeTarget(clinic, token, offer);
    const { tenantId, db } = clinic.ctx;
    const row = await db.appointment.findFirstOrThrow({ where: { id } });
    const providerAppointmentId = row.providerAppointmentId!;
    const { calendars, appointments } = clinic.acuity.emulator.world.state.accounts[ACCOUNT.user_id]!;
    const other = calendars.find((calendar) => calendar.id !== row.calendarId)!;
    appointments.find((one) => one.id === providerAppointmentId)!.calendarId = other.id;
    const change = { tenantId, accountId: ACCOUNT.user_id, providerAppointmentId, found: 'comparison' } as const;
    await refreshAppointment(clinic.services, change);
    const [moved] = (await timeline({ patient_id, object_id: id })).items;
    expect(moved).toMatchObject({
      title: 'An appointment was moved',
      by: 'The clinic’s calendar',
      note: `From ${row.calendar} to ${other.name}`,
      about: { moved_from: null },
    });
    expect(Date.parse(moved!.about!.from_date!)).toBe(row.startAt.getTime());
  });

  test('is read by holders of charts:read, and that of a subscription by those who see subscriptions', async () => {
    const billing = asStaff(clinic.services, at(), 'billing');
    const codeOf = (input: object, ctx = billing) =>
      timeline(input, ctx).then(
        () => 'done',
        ({ code }) => code,
      );
    const object_id = patientId;
    expect(await codeOf({ kind: 'subscriptions', object_id })).toBe('done');
    for (const input of [
      { kind: 'visits', object_id },
      {},
      { kind: 'visits' },
      { kind: 'subscriptions' },
      { kind: 'record', object_id },
      { object_id },
    ])
      expect([input, await codeOf(input)]).toEqual([input, 'forbidden']);
    expect(await codeOf({}, asStaff(clinic.services, at(), 'front_desk'))).toBe('done');
    expect(await codeOf({}, asStaff(clinic.services, at(), 'read_only'))).toBe('done');
  });

  test('can be filtered by kind, and the kinds cover all entries', async () => {
    const target = await makeTarget(clinic, token, await readOffer(clinic, token));
    await plainChange(target.patientId);
    const own = { patient_id: target.patientId };
    const all = (await timeline(own)).items;
    const ofKind = async (kind: TimelineKind) => (await timeline({ ...own, kind })).items;
    const byKind = (await Promise.all(TIMELINE_KINDS.map(ofKind))).flat();
    const other = all.filter(({ kind }) => kind === 'other');
    expect(other.map(({ title }) => title)).toEqual(['Letters: sent by post']);
    const inOrder = (lines: TimelineEntryView[]) => lines.map(({ id }) => id).sort();
    expect(inOrder([...byKind, ...other])).toEqual(inOrder(all));
    for (const kind of TIMELINE_KINDS) expect(await ofKind(kind)).toEqual(all.filter((line) => line.kind === kind));
  });

  test('pages in both directions, also within one timestamp', async () => {
    const id = await newPatient('Pages');
    // All entries of a transaction have the same timestamp.
    await nurse.db.$transaction(async (tx) => {
      for (let n = 0; n < 7; n++) await record(tx, nurse, { action: UNKNOWN_ACTION, ...aboutPatient(id) });
    });
    const allIds = (await timeline({ patient_id: id })).items.map((line) => line.id);
    expect(allIds).toHaveLength(8);
    const seen: string[] = [];
    for (let next: string | null | undefined; next !== null; ) {
      const page = await timeline({ patient_id: id, size: 3, ...(next && { starting_after: next }) });
      seen.push(...page.items.map((line) => line.id));
      next = page.next;
    }
    expect(seen).toEqual(allIds);
    const back = await timeline({ patient_id: id, size: 3, ending_before: allIds[5]! });
    expect(back.items.map((line) => line.id)).toEqual(allIds.slice(2, 5));
  });

  test('describes entries without an event by their action', async () => {
    const id = await newPatient('Old');
    await owner.query(
      `insert into audit_entries (id, tenant_id, action, object_type, object_id, patient_id, actor_type, actor_id, request_id, details)
       values ($1, $2, 'subscriptions.sync', 'Subscription', 'sub_old', $3, 'System', 'stripe_webhook', 'old',
         '{"changed": ["currentPeriodStart"]}')`,
      [newId(), clinic.ctx.tenantId, id],
    );
    expect((await timeline({ patient_id: id, kind: 'subscriptions' })).items).toMatchObject([
      { title: 'A subscription went on for another period', by: 'Stripe', about: { id: 'sub_old', name: null } },
    ]);
  });

  test('omits rejected requests, reads and calls that changed nothing', async () => {
    const id = await newPatient('Quiet');
    const caller = createCaller(nurse);
    await caller.timeline.list({ patient_id: id });
    await caller.patients.list({});
    await caller.appointments.list({ patient_id: id });
    await caller.subscriptions.listCheckoutLinks({ patient_id: id });
    const scopeless = asApplication(clinic.services, at(), ['plans:read'] as never);
    await createCaller(scopeless)
      .patients.update({ id, last_name: 'Never' } as never)
      .catch(() => undefined);
    expect(await titles({ patient_id: id })).toEqual(['Added as a patient']);
  });

  test('is logged when opened, once for refetches of a page', async () => {
    const id = await newPatient('Read');
    const count = async () =>
      (await owner.query(`select 1 from audit_entries where action = 'timeline.list' and patient_id = $1`, [id]))
        .rowCount;
    for (const isRefetch of [false, true, true])
      await createCaller({ ...contextFor(clinic.services, nurse.actor, { isRefetch }) }).timeline.list({
        patient_id: id,
      });
    expect(await count()).toBe(1);
    await createCaller(contextFor(clinic.services, nurse.actor)).timeline.list({ patient_id: id });
    expect(await count()).toBe(2);
  });

  test('is available to the clinic’s staff users only', async () => {
    const codeOf = (ctx: typeof nurse, id = patientId) =>
      timeline({ patient_id: id }, ctx).then(
        () => 'shown',
        (error: { code: string }) => error.code,
      );
    expect(await codeOf(nurse)).toBe('shown');
    expect(await codeOf(asAdmin(clinic.services, at()))).toBe('shown');
    expect(await codeOf(asApplication(clinic.services, at()))).toBe('forbidden');
    expect(await codeOf(asPatient(clinic.services, at(), patientId))).toBe('forbidden');
    expect(await codeOf(asAdmin(clinic.services, { id: clinic.otherCtx.tenantId }))).toBe('not_found');
    expect(await codeOf(nurse, newId())).toBe('not_found');
    const [line] = (await timeline()).items;
    const elsewhere = await newPatient('Cursor');
    await expect(timeline({ patient_id: elsewhere, starting_after: line!.id })).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
  });
});

/** As a newer release may write one. */
const UNKNOWN_ACTION = 'letters.sent_by_post' as AuditAction;
const aboutPatient = (id: string) => ({ object: { type: 'Patient', id }, patientId: id });
const plainChange = (id: string) => record(nurse.db, nurse, { action: UNKNOWN_ACTION, ...aboutPatient(id) });

describe('its cost', () => {
  const LINES = 20;
  /** Changes of the timeline's patient. */
  const CHANGES = 50;

  const explainChanges = (kind: TimelineKind | null) =>
    explain(
      nurse.db,
      changesOf(
        clinic.ctx.tenantId,
        { patientId, kind, objectId: null },
        { beyond: null, backwards: false, limit: LINES + 1 },
      ),
    );
  /** The number of pages that the query touches; the first call also loads the catalog. */
  async function pagesOf(kind: TimelineKind | null): Promise<number> {
    await explainChanges(kind);
    return pagesTouchedBy(await explainChanges(kind));
  }
  /** Inserts entries of the given patient, or of other patients. */
  const fill = (count: number, action: string, whose: string | null) =>
    owner.query(
      `insert into audit_entries (id, tenant_id, action, object_type, object_id, patient_id, actor_type, actor_id, request_id)
       select gen_random_uuid(), $1, $2, 'Patient', 'x', coalesce($3::uuid, gen_random_uuid()), 'Admin', 'x', 'fill'
       from generate_series(1, $4::int)`,
      [clinic.ctx.tenantId, action, whose, count],
    );

  test('depends on the returned entries, not on the length of the log or the number of reads', async () => {
    await fill(CHANGES, 'patients.update', patientId);
    await owner.query('analyze audit_entries');
    const pagesBefore = process.env.PROVE ? await pagesOf(null) : null;
    await fill(30_000, 'patients.update', null);
    await fill(30_000, 'patients.get', patientId);
    await owner.query('vacuum analyze audit_entries');
    const places = await owner.query<{ name: string }>(
      'select distinct tableoid::regclass::text as name from audit_entries',
    );
    const held = new Set(places.rows.map(({ name }) => name));
    for (const kind of [null, 'record'] as const) {
      const plan = await explainChanges(kind);
      const about = describeScans(plan);
      // Empty partitions may be scanned sequentially.
      const reading = nodesOf(plan).filter((node) => held.has(node['Relation Name'] ?? ''));
      expect(reading.length).toBeGreaterThan(0);
      for (const node of reading) expect(['Index Scan', 'Bitmap Heap Scan']).toContain(node['Node Type']);
      // The index that covers changes only.
      const indexes = nodesOf(plan).flatMap((node) => node['Index Name'] ?? []);
      expect(indexes.filter((name) => !/_patient_id_created_at_posit/.test(name))).toEqual([]);
      // At most this patient's changes, each in the index and in the table: neither other patients' changes nor reads.
      expect(rowsReadBy(plan), about).toBeLessThanOrEqual(2 * (CHANGES + LINES));
      if (pagesBefore !== null) expect(await pagesOf(kind)).toBeLessThan(pagesBefore + 40);
    }
  });

  test('uses an index whose predicate equals the query’s and the contract’s list', async () => {
    const { rows } = await owner.query<{ def: string }>(
      `select pg_get_indexdef('audit_entries_changes_idx'::regclass) as def`,
    );
    const namesIn = (text: string) => [...text.matchAll(/'([a-zA-Z_]+\.[a-zA-Z_]+)'/g)].map((match) => match[1]);
    expect(namesIn(rows[0]!.def)).toEqual(UNINDEXED_ACTIONS);
    const query = changesOf(
      clinic.ctx.tenantId,
      { patientId, kind: null, objectId: null },
      { beyond: null, backwards: false, limit: 1 },
    );
    expect(namesIn(query.sql)).toEqual(UNINDEXED_ACTIONS);
  });
});
