import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CreatePatientInput, PatientView, UpdatePatientInput } from '#contract/patients.ts';
import { asApplication, asPatient, asPractitioner, makeTenant } from '#dev/testing/actors.ts';
import { archivePatient } from '#dev/testing/archive-patient.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import type { Context, Services } from '#server/core/context.ts';
import type { CarelaneError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { createCallerFactory, router } from '#server/core/trpc.ts';
import { createPatient } from './create-patient.ts';
import { getOwnPatient, getPatient } from './get-patient.ts';
import { assertNotArchived, findPatientByEmail, loadPatientFor } from './patient.ts';
import { findPatientView } from './patient-view.ts';
import { patientsRouter } from './router.ts';
import { updatePatient } from './update-patient.ts';

let clinic: Clinic;
let services: Services;
let tenant: { id: string };
let app: Context;
const NOW = new Date('2026-11-21T03:00:00.000Z');

beforeAll(async () => {
  clinic = await withClinic({ overrides: { clock: { now: () => NOW } } });
  ({ services, tenant } = clinic);
  app = asApplication(services, tenant);
});
afterAll(() => clinic?.stop());

const create = (input: unknown, ctx = app) => createPatient(ctx, CreatePatientInput.parse(input));
const update = (id: string, input: object, ctx = app) => updatePatient(ctx, UpdatePatientInput.parse({ id, ...input }));
const errorsOf = async (call: Promise<unknown>) => {
  const error = (await call.then(
    () => expect.unreachable('it was not refused'),
    (reason: unknown) => reason,
  )) as CarelaneError;
  return error.faults.map((fault) => [fault.code, Object.values(fault.source ?? {})[0]].filter(Boolean).join(' '));
};
const events = (patientId: string) => app.db.event.findMany({ where: { patientId } });
const audit = (patientId: string) => app.db.auditEntry.findMany({ where: { patientId } });

describe('creating', () => {
  test('returns the whole patient, who cannot sign in, and records an event and an audit entry', async () => {
    const patient = await create({
      email: 'Ada@Example.TEST',
      first_name: 'Ada',
      last_name: 'Example',
      birth_date: '1990-11-21',
      phone_number: '(202) 555-0123',
      addresses_attributes: [{ line1: '1 Main St', city: 'Springfield' }],
      ethnicities: [{ level_2_display: 'Not Hispanic or Latino' }],
      tag_list: ['vip', 'vip'],
      metadata: { plan: 'gold' },
      external_id: 'MRN-1',
    });
    expect(PatientView.parse(patient)).toEqual(patient);
    expect(patient).toMatchObject({
      email: 'ada@example.test',
      phone_number: '+12025550123',
      phone_number_verified: false,
      // It is November 20 in New York, the day before the birthday.
      age: 35,
      can_sign_in: false,
      status: 'active',
      tag_list: ['vip'],
      phones: [{ number: '+12025550123', primary: true, active: true }],
      addresses: [{ line1: '1 Main St', primary: true }],
      ethnicities: [{ level_2_display: 'Not Hispanic or Latino', level_3_display: null }],
      created_at: NOW.toISOString(),
    });
    expect((await events(patient.id)).map((event) => [event.eventType, event.eventTopic, event.payload])).toEqual([
      ['patient', 'created', patient],
    ]);
    expect((await audit(patient.id)).map((entry) => entry.action)).toEqual(['patients.create']);
  });

  test('requires no fields', async () => {
    expect(await create({})).toMatchObject({ email: null, age: null, phones: [], tag_list: [], metadata: {} });
  });

  test('keeps phones in request order, and the first becomes primary', async () => {
    const numbers = ['+12025550101', '+12025550102', '+12025550103', '+442079460958'];
    const patient = await create({ phones_attributes: numbers.map((number) => ({ number })) });
    expect(patient.phones.map((phone) => phone.number)).toEqual(numbers);
    expect(patient.phone_number).toBe('+12025550101');
  });

  test('returns all invalid numbers and dates at once', async () => {
    const faults = await errorsOf(
      create({
        birth_date: '2026-11-22',
        phone_number: '12',
        phones_attributes: [{ number: 'no number' }, { label: 'home' }],
      }),
    );
    expect(faults).toEqual([
      'invalid_parameter /birth_date',
      'invalid_parameter /phones_attributes/0/number',
      'missing_parameter /phones_attributes/1/number',
      'invalid_parameter /phone_number',
    ]);
  });

  test('rejects two primary phones and an inactive primary phone', async () => {
    const number = '+12025550101';
    const another = [{ number: '+12025550102', primary: true }];
    expect(await errorsOf(create({ phone_number: number, phones_attributes: another }))).toEqual([
      'invalid_parameter /phones_attributes/0/primary',
    ]);
    // A number given in both fields is one phone, unless it is marked as not primary, which is a contradiction.
    for (const primary of [true, undefined]) {
      const once = await create({
        phone_number: '(202) 555-0101',
        phones_attributes: [{ number, primary, label: 'home' }],
      });
      expect(once.phones).toMatchObject([{ number, primary: true, label: 'home' }]);
    }
    expect(await errorsOf(create({ phone_number: number, phones_attributes: [{ number, primary: false }] }))).toEqual([
      'invalid_parameter /phones_attributes/0/primary',
    ]);
    expect(await errorsOf(create({ phones_attributes: [{ number, primary: true, active: false }] }))).toEqual([
      'invalid_parameter /phones_attributes/0/active',
    ]);
  });

  test('an email in any case and an external id are unique within a tenant', async () => {
    await create({ email: 'one@example.test', external_id: 'one' });
    expect(await errorsOf(create({ email: 'ONE@example.test' }))).toEqual(['email_taken /email']);
    expect(await errorsOf(create({ external_id: 'one' }))).toEqual(['external_id_taken /external_id']);
    const other = asApplication(services, await makeTenant(services));
    await expect(create({ email: 'one@example.test', external_id: 'one' }, other)).resolves.toBeDefined();
  });

  test('of concurrent requests with one email exactly one succeeds', async () => {
    const results = await Promise.allSettled(Array.from({ length: 16 }, () => create({ email: 'race@example.test' })));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'email_taken' });
  });

  test('returns forbidden for a patient and for an application without the scope', async () => {
    expect(await errorsOf(create({}, asPatient(services, tenant, newId())))).toEqual(['forbidden']);
    expect(await errorsOf(create({}, asApplication(services, tenant, ['patients:read'])))).toEqual(['forbidden']);
  });
});

describe('reading', () => {
  test('returns not_found for other patients and other tenants', async () => {
    const { id } = await create({});
    const otherTenant = asApplication(services, await makeTenant(services));
    expect(await errorsOf(getPatient(asPatient(services, tenant, newId()), { id }))).toEqual(['not_found']);
    expect(await errorsOf(getPatient(otherTenant, { id }))).toEqual(['not_found']);
    expect(await errorsOf(update(id, { first_name: 'X' }, otherTenant))).toEqual(['not_found']);
    expect(await errorsOf(archivePatient(otherTenant, { id }))).toEqual(['not_found']);
  });

  test('"me" is the signed-in patient, and forbidden for an application', async () => {
    const patient = await create({ first_name: 'Ada' });
    expect(await getOwnPatient(asPatient(services, tenant, patient.id))).toEqual(patient);
    await expect(async () => getOwnPatient(app)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('each read leaves an audit entry, with both ids for an impersonated patient', async () => {
    const { id } = await create({});
    const caller = createCallerFactory(router({ patients: patientsRouter }));
    await caller(asPatient(services, tenant, id)).patients.get({ id });
    await caller(asPatient(services, tenant, id, 'client-1')).patients.me({});
    expect((await audit(id)).filter((entry) => entry.action !== 'patients.create')).toMatchObject([
      { action: 'patients.get', actorType: 'Patient', actorId: id, onBehalfOf: null },
      { action: 'patients.get_own', actorType: 'Application', actorId: 'client-1', onBehalfOf: id },
    ]);
  });

  test.each([
    ['the day before the birthday', '1990-11-21', '2026-11-20', 35],
    ['the birthday', '1990-11-21', '2026-11-21', 36],
    ['February 28 of a common year, born on February 29', '2004-02-29', '2027-02-28', 22],
    ['March 1 of a common year, born on February 29', '2004-02-29', '2027-03-01', 23],
    ['February 29, born on one', '2004-02-29', '2028-02-29', 24],
    ['the day of birth', '2026-11-20', '2026-11-20', 0],
  ])('the age on %s', async (_day, birth_date, today, age) => {
    const { id } = await create({ birth_date });
    expect(await findPatientView(app.db, app, id, today)).toMatchObject({ birth_date, age });
  });

  test('keeps a date of birth from before the limit, and accepts no other', async () => {
    const { id } = await create({ birth_date: '1990-11-21' });
    await app.db.patient.updateMany({ where: { id }, data: { birthDate: new Date('1880-02-29') } });
    expect(await updatePatient(app, { id, birth_date: '1880-02-29', first_name: 'Ada' })).toMatchObject({
      ...{ first_name: 'Ada', birth_date: '1880-02-29' },
    });
    expect(await errorsOf(updatePatient(app, { id, birth_date: '1880-03-01' }))).toEqual([
      'invalid_parameter /birth_date',
    ]);
  });

  test('the representation has the same keys in the same order as the contract', async () => {
    const phones_attributes = [
      { number: '+12025550123', primary: true },
      { number: '+12025550124', label: 'work' },
    ];
    const races = [{ level_2_display: 'Asian', level_3_display: 'Chinese' }, { level_2_display: 'White' }];
    const { id } = await create({ races, phones_attributes, addresses_attributes: [{ line1: '“1” \\ Example' }] });
    const view = await getPatient(app, { id });
    expect(Object.keys(view)).toEqual(Object.keys(PatientView.shape));
    expect(PatientView.strict().parse(view)).toEqual(view);
    expect(view.races).toEqual(races.map((race) => ({ level_3_display: null, ...race })));
    expect(view.phones.map(({ number }) => number)).toEqual(['+12025550123', '+12025550124']);
    expect(Object.keys(view.addresses[0]!)).toEqual(Object.keys(PatientView.shape.addresses.element.shape));
  });

  test('loadPatientFor returns a patient to authorized actors only', async () => {
    const { id } = await create({ email: 'load@example.test' });
    expect((await loadPatientFor(app, id)).id).toBe(id);
    expect((await loadPatientFor(asPractitioner(services, tenant), id)).id).toBe(id);
    expect((await loadPatientFor(asPatient(services, tenant, id), id)).id).toBe(id);
    expect(await errorsOf(loadPatientFor(asPatient(services, tenant, newId()), id))).toEqual(['not_found']);
    expect(await errorsOf(loadPatientFor(app, 'no id'))).toEqual(['not_found']);
    expect((await findPatientByEmail(app, ' LOAD@example.test '))?.id).toBe(id);
  });
});

describe('updating', () => {
  test('changes only the given fields, and the audit entry names the fields without values', async () => {
    const { id } = await create({ first_name: 'Ada', last_name: 'Example', metadata: { a: 1 } });
    const after = await update(id, { first_name: 'Grace', metadata: { b: 2 } });
    expect(after).toMatchObject({ first_name: 'Grace', last_name: 'Example', metadata: { b: 2 } });
    expect((await audit(id)).find((entry) => entry.action === 'patients.update')?.details).toEqual({
      changed: ['first_name', 'metadata'],
    });
    expect((await events(id)).map((event) => event.eventTopic)).toContain('updated');
  });

  test('without a difference records no event', async () => {
    const { id } = await create({ first_name: 'Ada' });
    await update(id, { first_name: 'Ada' });
    expect((await events(id)).map((event) => event.eventTopic)).toEqual(['created']);
  });

  test('a new primary number must be verified again, a new label not', async () => {
    const { id, phones } = await create({
      phones_attributes: [{ number: '+12025550101' }, { number: '+12025550102' }],
    });
    await app.db.patient.update({ where: { id }, data: { phoneNumberVerified: true } });
    const labelled = await update(id, { phones_attributes: [{ id: phones[0]!.id, label: 'mobile' }] });
    expect(labelled.phone_number_verified).toBe(true);
    const switched = await update(id, { phones_attributes: [{ id: phones[1]!.id, primary: true }] });
    expect(switched).toMatchObject({ phone_number: '+12025550102', phone_number_verified: false });
    expect(switched.phones.map((phone) => phone.primary)).toEqual([false, true]);
  });

  test('edits, deletes and re-prioritizes addresses in one request', async () => {
    const { id, addresses } = await create({ addresses_attributes: [{ line1: 'one' }, { line1: 'two' }] });
    const after = await update(id, {
      addresses_attributes: [
        { id: addresses[0]!.id, _destroy: true },
        { id: addresses[1]!.id, line1: '2', primary: true },
        { line1: 'three' },
      ],
    });
    expect(after.addresses.map(({ line1, primary }) => [line1, primary])).toEqual([
      ['2', true],
      ['three', false],
    ]);
  });

  test("rejects deactivating the primary phone and ids of another patient's phones", async () => {
    const { id, phones } = await create({ phone_number: '+12025550101' });
    const other = await create({ phone_number: '+12025550102' });
    expect(await errorsOf(update(id, { phones_attributes: [{ id: phones[0]!.id, active: false }] }))).toEqual([
      'invalid_parameter /phones_attributes/0/active',
    ]);
    expect(await errorsOf(update(id, { phones_attributes: [{ id: other.phones[0]!.id, _destroy: true }] }))).toEqual([
      'invalid_parameter /phones_attributes/0/id',
    ]);
  });

  test('concurrent changes of the primary phone leave exactly one primary phone', async () => {
    const { id, phones } = await create({
      phones_attributes: Array.from({ length: 6 }, (_, n) => ({ number: `+1202555010${n}` })),
    });
    await Promise.all(phones.map((phone) => update(id, { phones_attributes: [{ id: phone.id, primary: true }] })));
    const after = await getPatient(app, { id });
    const primary = after.phones.filter((phone) => phone.primary);
    expect(primary.map((phone) => phone.number)).toEqual([after.phone_number]);
  });

  test('changes and removes the email of a patient without a sign-in, and records its hash', async () => {
    const { id } = await create({ email: 'mistpyed@example.test', first_name: 'Ada' });
    const corrected = await update(id, { email: 'Mistyped@example.test' }, asPractitioner(services, tenant));
    expect(corrected).toMatchObject({ email: 'mistyped@example.test', email_verified: false, status: 'active' });
    expect((await findPatientByEmail(app, 'mistyped@example.test'))?.id).toBe(id);
    expect(await update(id, { email: null })).toMatchObject({ email: null });
    const entries = (await audit(id)).filter(({ action }) => action === 'patients.update');
    const [first, second] = entries.map(({ details }) => details as { changed: string[]; email_before: string });
    expect(first).toMatchObject({ changed: ['email'], email_before: expect.stringMatching(/^[\w-]{43}$/) });
    expect(second?.email_before).not.toBe(first?.email_before);
    expect(JSON.stringify(entries.map(({ details }) => details))).not.toContain('@');
    // An unchanged address is no change.
    await update(id, { email: null });
    expect((await audit(id)).at(-1)?.details).toEqual({ changed: [] });
  });

  test("rejects the email of a patient who signs in, a change by the patient, and another patient's email", async () => {
    await create({ email: 'other@example.test' });
    const { id } = await create({ email: 'in@example.test' });
    expect(await errorsOf(update(id, { email: 'other@example.test' }))).toEqual(['email_taken /email']);
    for (const acting of [null, newId()])
      expect(
        await errorsOf(update(id, { email: 'own@example.test' }, asPatient(services, tenant, id, acting))),
      ).toEqual(['forbidden /email']);
    await app.db.patient.update({
      where: { tenantId_id: { tenantId: tenant.id, id } },
      data: { canSignIn: true },
    });
    expect(await errorsOf(update(id, { email: 'out@example.test' }))).toEqual(['conflict /email']);
    // The portal's form sends the unchanged address, which is allowed.
    expect(await update(id, { email: 'in@example.test', first_name: 'Bo' })).toMatchObject({ first_name: 'Bo' });
  });

  test("rejects another patient's external id and writes nothing", async () => {
    await create({ external_id: 'taken' });
    const before = await create({ first_name: 'Ada' });
    expect(await errorsOf(update(before.id, { first_name: 'X', external_id: 'taken' }))).toEqual([
      'external_id_taken /external_id',
    ]);
    expect(await getPatient(app, before)).toEqual(before);
  });

  test('a patient cannot probe external ids', async () => {
    await create({ external_id: 'existing' });
    const { id } = await create({ first_name: 'Ada' });
    const self = asPatient(services, tenant, id);
    for (const external_id of ['existing', 'unknown'])
      expect(await errorsOf(updatePatient(self, { id, external_id }))).toEqual(['forbidden /external_id']);
  });
});

describe('archiving', () => {
  test('makes a patient read-only; archiving again returns the same response', async () => {
    const { id } = await create({ email: 'old@example.test' });
    const { care_ending, ...archived } = await archivePatient(app, { id });
    expect(archived).toMatchObject({ status: 'archived', archived_at: NOW.toISOString() });
    expect(care_ending).toBeNull();
    expect(await archivePatient(app, { id })).toEqual({ ...archived, care_ending });
    expect(await getPatient(app, { id })).toEqual(archived);
    expect(await errorsOf(update(id, { first_name: 'X' }))).toEqual(['patient_archived']);
    expect((await events(id)).map((event) => event.eventTopic).sort()).toEqual(['archived', 'created']);
    const row = await loadPatientFor(app, id);
    expect(() => assertNotArchived(row)).toThrow(/archived/);
  });

  test('returns forbidden for the patient', async () => {
    const { id } = await create({});
    expect(await errorsOf(archivePatient(asPatient(services, tenant, id), { id }))).toEqual(['forbidden']);
  });
});
