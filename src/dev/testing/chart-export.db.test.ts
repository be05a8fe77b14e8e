import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LONG_SECTIONS, NOT_EXPORTED, SECTIONS } from '#server/chart/export-sections.ts';
import { newId } from '#server/core/ids.ts';
import { sealPreviousAddress } from '#server/identity/patients/address-changes/previous-address.ts';
import { sealRequestedEmail } from '#server/identity/patients/address-changes/requested-email-change.ts';
import { sealCheck } from '#server/identity/patients/help/identity-check.ts';
import { createStaffUser } from '#server/identity/staff/create-staff-user.ts';
import { createNote } from '#server/notes/create-note.ts';
import { racesToTexts } from '#server/patients/patient.ts';
import { asPractitioner } from './actors.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { makeTarget, readOffer } from './sample-targets.ts';
import type { Target } from './samples/sample.ts';
import { signInToPortal } from './staff-sign-in.ts';

const PASSWORD = 'correct horse battery';

let clinic: Sandbox;
let owner: pg.Client;
let admin: string;
let nurse: string;
let target: Target;
let otherId: string;
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  owner = new pg.Client({ connectionString: clinic.database.ownerUrl });
  await owner.connect();
  for (const role of ['admin', 'practitioner'] as const)
    await createStaffUser(clinic.ctx, {
      email: `${role}@example.test`,
      name: `Ada ${role}`,
      role,
      password: PASSWORD,
    });
  admin = await signIn('admin@example.test');
  nurse = await signIn('practitioner@example.test');
  const token = await clinic.token(await clinic.application(clinic.ctx));
  target = await makeTarget(clinic, token, await readOffer(clinic, token));
  const other = await clinic.rest.call({ method: 'POST', path: '/patients', token, body: { first_name: 'Grace' } });
  otherId = other.body.id;
  await insertSignInRows();
  for (const note of ['Bring the X-ray.', 'Bring the letter.'])
    await clinic.rest.call({
      method: 'PATCH',
      path: `/appointments/${target.appointmentId}/note`,
      token,
      body: { note },
    });
  const written = { patient_id: target.patientId, text: 'Sleeps badly.\nOften.' };
  await createNote(asPractitioner(clinic.services, { id: clinic.ctx.tenantId }), written);
  // A list read that shows both patients, which the audit log records.
  await fetch(`${clinic.url}/api/trpc/patients.list?input=${encodeURIComponent('{}')}`, { headers: { cookie: nurse } });
});
afterAll(async () => {
  await owner?.end();
  await clinic?.stop();
});

async function signIn(email: string): Promise<string> {
  const response = await signInToPortal(clinic.services, { email, password: PASSWORD });
  if ('error' in response) throw new Error(`sign-in failed: ${response.error}`);
  return response.cookie;
}

/** Adds the rows that only a patient with sign-ins has. */
async function insertSignInRows(): Promise<void> {
  const { db, tenantId } = clinic.ctx;
  const { patientId } = target;
  const now = new Date();
  const own = { tenantId, patientId };
  const [changeId, helpId, sessionId] = [newId(), newId(), newId()];
  await db.patient.updateMany({
    where: { id: patientId },
    data: { races: racesToTexts([{ level_2_display: 'Asian', level_3_display: 'Japanese' }]) },
  });
  await db.patientSignIn.create({
    data: {
      ...own,
      srpIdentity: 'ada@example.test',
      salt: 'SECRET-salt',
      verifier: Buffer.from('SECRET-verifier'),
      kdf: {},
    },
  });
  await db.patientSession.create({
    data: {
      ...own,
      id: sessionId,
      clientId: newId(),
      userAgent: 'Firefox on Linux',
      begunFor: 'SECRET-key',
      expiresAt: now,
      lastUsedAt: now,
    },
  });
  await db.knownDevice.create({ data: { ...own, hash: 'SECRET-device', lastUsedAt: now, expiresAt: now } });
  await db.signInHelp.create({
    data: {
      ...own,
      id: helpId,
      staffUserId: newId(),
      way: 'email',
      identityCheck: sealCheck(clinic.ctx, helpId, 'Passport, seen'),
      createdAt: now,
    },
  });
  await db.askedEmailChange.create({
    data: {
      ...own,
      tokenHash: 'SECRET-token',
      email: sealRequestedEmail(clinic.ctx, patientId, 'new@example.test'),
      helpId,
      expiresAt: now,
      createdAt: now,
    },
  });
  const previous = { told: 'old@example.test', salt: 'SECRET-old-salt', kind: 'email' } as const;
  await db.addressChange.create({
    data: {
      ...own,
      id: changeId,
      kind: 'email',
      tokenHash: 'SECRET-undo',
      kept: sealPreviousAddress(clinic.ctx, changeId, previous),
      expiresAt: now,
      createdAt: now,
    },
  });
  await fetch(`${clinic.url}/api/trpc/subscriptions.createCheckoutLink`, {
    method: 'POST',
    headers: { cookie: nurse, 'content-type': 'application/json', 'x-carelane-portal': '1' },
    body: JSON.stringify({ subscription_id: target.subscriptionId }),
  });
}

const exportChart = (query: Record<string, string>, cookie = admin, headers: Record<string, string> = {}) =>
  fetch(`${clinic.url}/api/charts/export?${new URLSearchParams({ format: 'json', ...query })}`, {
    headers: { cookie, ...headers },
  });
const entries = async (outcome: string | null) =>
  (
    await owner.query(
      `select actor_type, outcome, patient_id, details from audit_entries
       where action = 'patients.export' and outcome is not distinct from $1 order by position`,
      [outcome],
    )
  ).rows;

describe('the export of one patient', () => {
  test('is a file with all stored data, and its name does not identify the patient', async () => {
    const response = await exportChart({ patient_id: target.patientId });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="patient-${target.patientId}-\\d{4}-\\d\\d-\\d\\d\\.json"$`),
    );
    const body = (await response.json()) as Record<string, Record<string, unknown>[]>;
    expect(body).toMatchObject({ format: 'carelane.patient.1', clinic: 'Example Clinic', left_out: NOT_EXPORTED });
    const names = [...SECTIONS.map(({ name }) => name), ...Object.values(LONG_SECTIONS)];
    expect(Object.keys(body).filter((name) => Array.isArray(body[name]))).toEqual(names);
    const races = [{ level_2_display: 'Asian', level_3_display: 'Japanese' }];
    expect(body.patient).toMatchObject([{ id: target.patientId, status: 'active', races }]);
    expect(body.visits).toMatchObject([{ id: target.appointmentId, status: 'scheduled' }]);
    expect(body.visits).toMatchObject([{ staff_note: 'Bring the letter.' }]);
    expect(body.notes!.map((note) => [note.appointment_id, note.body])).toEqual([
      [null, 'Sleeps badly.\nOften.'],
      [target.appointmentId, null],
    ]);
    expect(body.earlier_texts_of_notes).toMatchObject([{ note_id: target.appointmentId, body: 'Bring the X-ray.' }]);
    expect(body.subscriptions).toMatchObject([{ id: target.subscriptionId }]);
    expect(body.payer).toHaveLength(1);
    expect(body.payment_links).toHaveLength(1);
    expect(body.devices).toHaveLength(1);
    expect(body.sessions).toMatchObject([{ user_agent: 'Firefox on Linux' }]);
    expect(body.help_to_sign_in).toMatchObject([{ identity_check: 'Passport, seen' }]);
    expect(body.email_changes_asked_for).toMatchObject([{ email: 'new@example.test' }]);
    expect(body.address_changes).toMatchObject([{ kept: { told: 'old@example.test', kind: 'email' } }]);
    expect(body.events!.map(({ event_type }) => event_type)).toEqual(
      expect.arrayContaining(['patient', 'appointment', 'subscription']),
    );
    const seen = body.audit_log!.map(({ action }) => action);
    expect(seen).toEqual(expect.arrayContaining(['patients.list', 'patients.create']));
    expect(seen[0]).toBe('patients.export');
  });

  test('contains no secret, no usable link and no other patient', async () => {
    const text = await (await exportChart({ patient_id: target.patientId })).text();
    expect(text).not.toMatch(/SECRET|verifier|_secret_/);
    const { videoToken } = await clinic.ctx.db.appointment.findFirstOrThrow({ where: { id: target.appointmentId } });
    expect(text).not.toContain(videoToken);
    expect(text).toContain('/visit#left-out');
    expect(text).not.toContain(otherId);
    // The addresses of staff users are not part of a patient's data.
    for (const entry of JSON.parse(text).audit_log)
      expect([entry.actor.type, entry.address]).toEqual([entry.actor.type, undefined]);
  });

  test('is logged before the first byte is sent, even if the client disconnects', async () => {
    const before = (await entries(null)).length;
    const response = await exportChart({ patient_id: target.patientId });
    expect(await entries(null)).toHaveLength(before + 1);
    await response.body!.cancel();
    const page = await exportChart({ patient_id: target.patientId, format: 'page' });
    expect(page.headers.get('content-disposition')).toBeNull();
    await page.text();
    expect((await entries(null)).at(-1)).toMatchObject({
      actor_type: 'Admin',
      patient_id: target.patientId,
      details: { format: 'page' },
    });
  });

  test('sends nothing when its audit entry cannot be written', async () => {
    await owner.query(
      `alter table audit_entries add constraint no_exports check (action <> 'patients.export') not valid`,
    );
    try {
      const response = await exportChart({ patient_id: target.patientId });
      expect([response.status, (await response.json()).errors[0].code]).toEqual([503, 'service_busy']);
    } finally {
      await owner.query('alter table audit_entries drop constraint no_exports');
    }
  });

  test('is forbidden for practitioners and unauthenticated clients, and logged as rejected', async () => {
    expect((await exportChart({ patient_id: target.patientId }, nurse)).status).toBe(403);
    expect((await exportChart({ patient_id: target.patientId }, '')).status).toBe(401);
    expect(
      (await exportChart({ patient_id: target.patientId }, admin, { 'sec-fetch-site': 'cross-site' })).status,
    ).toBe(403);
    expect(await entries('forbidden')).toMatchObject([{ actor_type: 'Practitioner', patient_id: target.patientId }]);
  });

  test('of another tenant’s patient returns not_found', async () => {
    const id = newId();
    const { db, tenantId } = clinic.otherCtx;
    await db.patient.create({ data: { id, tenantId, firstName: 'Elsewhere' } });
    for (const patient_id of [id, newId()]) {
      const response = await exportChart({ patient_id });
      expect([response.status, (await response.json()).errors[0].code]).toEqual([404, 'not_found']);
    }
    expect((await exportChart({ patient_id: 'nonsense' })).status).toBe(422);
    expect((await exportChart({ patient_id: target.patientId, format: 'xls' })).status).toBe(422);
  });

  test('streams a long audit log while it is read', async () => {
    await owner.query(
      `insert into audit_entries (id, tenant_id, action, object_type, object_id, patient_id, actor_type, actor_id, request_id)
       select gen_random_uuid(), $1, 'patients.get', 'Patient', $2::text, $2::text::uuid, 'Admin', 'x', 'long' from generate_series(1, 2500)`,
      [clinic.ctx.tenantId, target.patientId],
    );
    const body = (await (await exportChart({ patient_id: target.patientId })).json()) as {
      audit_log: { id: string }[];
    };
    const ids = body.audit_log.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(2500);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('every stored column about a patient', () => {
  /** Every table with its columns; a partitioned table is listed once. */
  async function tables(): Promise<Map<string, string[]>> {
    const { rows } = await owner.query<{ table: string; columns: string[] }>(
      `select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       group by 1`,
    );
    return new Map(rows.map(({ table, columns }) => [table, columns]));
  }

  test('is in the export by table, or listed with a reason', async () => {
    const columnsByTable = await tables();
    const naming = [...columnsByTable].filter(
      ([table, columns]) => table === 'patients' || columns.includes('patient_id'),
    );
    const covered = [
      ...SECTIONS.map(({ table }) => table),
      ...Object.keys(LONG_SECTIONS),
      ...Object.keys(NOT_EXPORTED),
    ];
    expect(naming.map(([table]) => table).sort()).toEqual(covered.sort());
    // No table refers to a patient by another column name, except for authors.
    const others = [...columnsByTable].flatMap(([table, columns]) =>
      columns
        .filter((column) => /patient/.test(column) && !['patient_id', 'patient_ids'].includes(column))
        .map((c) => `${table}.${c}`),
    );
    expect(others).toEqual([]);
  });

  test('is in the export by column, or listed with a reason', async () => {
    const columnsByTable = await tables();
    for (const { table, columns, sealed = {}, leftOut = {} } of SECTIONS) {
      const exported = [...columns, ...Object.keys(sealed), ...Object.keys(leftOut)];
      const stored = columnsByTable.get(table)!.filter((column) => !['tenant_id', 'patient_id'].includes(column));
      expect([table, ...exported.sort()]).toEqual([table, ...stored.sort()]);
      for (const reason of Object.values(leftOut)) expect(reason.length).toBeGreaterThan(10);
    }
  });
});
