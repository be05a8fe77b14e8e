import { afterAll, beforeAll, expect, test } from 'vitest';
import { SANDBOX, type Sandbox, withClinic } from '#dev/testing/clinic.ts';
import { signInToPortal } from '#dev/testing/staff-sign-in.ts';
import { newId } from '#server/core/ids.ts';
import { createStaffUser } from '../identity/staff/create-staff-user.ts';

const PASSWORD = 'correct horse battery';
const FORMULA = '=HYPERLINK("http://attacker.example.test","Ada")';
const MANY = 700;
const HOUR_MS = 3_600_000;
const BEGIN = Date.UTC(2026, 0, 5, 9);

let clinic: Sandbox;
let nurse: string;
let nurseId: string;
let patientId: string;
let token: string;
let ids: string[];
beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  const user = { email: 'nurse@example.test', name: 'Ada Nurse', role: 'billing' as const, password: PASSWORD };
  nurseId = (await createStaffUser(clinic.ctx, user)).id;
  const result = await signInToPortal(clinic.services, user);
  if ('error' in result) throw new Error(`refused: ${result.error}`);
  nurse = result.cookie;
  token = await clinic.token(await clinic.application(clinic.ctx));
  const body = { first_name: FORMULA, email: 'ada@example.test' };
  patientId = (await clinic.rest.call({ method: 'POST', path: '/patients', token, body })).body.id;
  const { db, tenantId } = clinic.ctx;
  ids = Array.from({ length: MANY }, () => newId());
  await db.appointment.createMany({
    data: ids.map((id, n) => ({
      id,
      tenantId,
      patientId,
      appointmentTypeId: 1,
      appointmentType: 'Follow-up; short',
      calendarId: n % 2 === 0 ? 7 : 8,
      calendar: 'Dr. Sam Sample',
      // Several at the same instant, so that the id breaks ties.
      startAt: new Date(BEGIN + Math.floor(n / 5) * HOUR_MS),
      endAt: new Date(BEGIN + Math.floor(n / 5) * HOUR_MS + HOUR_MS / 2),
      timeZone: 'America/New_York',
      videoToken: `token-${n}`,
      status: n % 100 === 0 ? 'canceled' : 'scheduled',
    })),
  });
});
afterAll(() => clinic?.stop());

const download = (query: string, cookie = nurse) =>
  fetch(`${clinic.url}/api/appointments/export?${query}`, { headers: { cookie } });
const linesOf = (text: string) => text.trimEnd().split('\r\n').slice(1);
const call = (method: 'GET' | 'PATCH', path: string, body?: object, as = token) =>
  clinic.rest.call({ method, path, token: as, ...(body && { body }) });

test('the CSV export has each matching appointment once, without formulas', async () => {
  const response = await download('');
  expect(response.headers.get('content-disposition')).toMatch(/filename="appointments-\d{4}-\d\d-\d\d\.csv"$/);
  const text = await response.text();
  const shown = linesOf(text).map((line) => line.split(',')[0]);
  expect(new Set(shown).size).toBe(MANY - MANY / 100);
  expect(shown).toHaveLength(MANY - MANY / 100);
  expect(text).toContain(`"'=HYPERLINK(""http://attacker.example.test"",""Ada"")"`);
  expect(linesOf(await (await download('status=canceled')).text())).toHaveLength(MANY / 100);
  expect(linesOf(await (await download('calendar_id=9')).text())).toEqual([]);
  const first = new Date(BEGIN).toISOString();
  expect(linesOf(await (await download(`scheduled_before=${first}&calendar_id=8`)).text())).toHaveLength(2);
});

test('each export adds an audit entry; other clients get none', async () => {
  const entries = await clinic.ctx.db.auditEntry.count({
    where: { action: 'appointments.export', actorId: nurseId },
  });
  expect(entries).toBeGreaterThan(3);
  expect((await download('', 'nothing=1')).status).toBe(401);
  expect((await download('page=2')).status).toBe(422);
});

test('a staff note is encrypted, can be read and removed, and its text is not logged', async () => {
  const id = ids[3]!;
  const path = `/appointments/${id}/note`;
  expect((await call('GET', path)).body).toEqual({ appointment_id: id, patient_id: patientId, note: null });
  const note = 'Needs a wheelchair ramp.';
  expect((await call('PATCH', path, { note })).body.note).toBe(note);
  expect((await call('PATCH', path, { note })).body.note).toBe(note);
  const row = await clinic.ctx.db.appointment.findFirstOrThrow({ where: { id } });
  expect(Buffer.from(row.staffNote!).toString('latin1')).not.toContain('wheelchair');
  expect(JSON.stringify((await call('GET', `/appointments/${id}`)).body)).not.toContain('wheelchair');
  const entries = await clinic.ctx.db.auditEntry.findMany({
    where: { action: 'appointments.set_note', objectId: id },
    orderBy: { position: 'asc' },
  });
  expect(entries.map(({ details }) => details)).toEqual([{ written: true }, { unchanged: true }]);
  expect(await clinic.ctx.db.event.count({ where: { objectId: id } })).toBe(0);
  expect((await call('PATCH', path, { note: null })).body.note).toBeNull();
  expect((await call('PATCH', path, { note: 'x'.repeat(10_001) })).status).toBe(422);
  expect((await call('PATCH', `/appointments/${newId()}/note`, { note })).status).toBe(404);
});
