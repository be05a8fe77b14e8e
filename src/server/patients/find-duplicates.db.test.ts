import { afterAll, beforeAll, expect, test } from 'vitest';
import { FindDuplicatesInput } from '#contract/duplicate-patients.ts';
import { asApplication, asPatient, asPractitioner, asStaff, makeTenant } from '#dev/testing/actors.ts';
import { archivePatient } from '#dev/testing/archive-patient.ts';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { errorOf } from '#dev/testing/scheduling.ts';
import type { Context } from '#server/core/context.ts';
import { createPatient } from './create-patient.ts';
import { findDuplicates } from './find-duplicates.ts';

const PHONES = [{ number: '+12025550123', primary: true }, { number: '+12025550199' }];
const ADA = { first_name: 'Ada', last_name: 'Sample', birth_date: '1980-02-29', email: 'ada@example.test' };

let clinic: Clinic;
let tenant: { id: string };
let nurse: Context;
let ada: string;
beforeAll(async () => {
  clinic = await withClinic();
  tenant = await makeTenant(clinic.services);
  nurse = asPractitioner(clinic.services, tenant);
  ada = (await createPatient(nurse, { ...ADA, phones_attributes: PHONES })).id;
  await createPatient(nurse, { first_name: 'Grace', last_name: 'Other', birth_date: '1980-02-29', tag_list: ['vip'] });
  for (let n = 0; n < 6; n += 1) await createPatient(nurse, { phones_attributes: [{ number: `+4930123456${n}0` }] });
  await createPatient(asPractitioner(clinic.services, await makeTenant(clinic.services)), ADA);
});
afterAll(() => clinic?.stop());

const find = async (input: object, ctx = nurse) =>
  (await findDuplicates(ctx, FindDuplicatesInput.parse(input))).map(({ id, same }) => [id, same]);

test.each([
  [{ email: 'ADA@example.test' }, ['email']],
  [{ phone_number: '(202) 555-0123' }, ['phone_number']],
  [{ phone_number: '+1 202 555 0199' }, ['phone_number']],
  [{ birth_date: '1980-02-29', last_name: 'Sample' }, ['birth_date']],
  [{ birth_date: '1980-02-29', first_name: 'Beth', last_name: 'Samplé' }, ['birth_date']],
  [{ birth_date: '1980-02-29', first_name: 'Adda' }, ['birth_date']],
  [{ ...ADA, phone_number: '+12025550123' }, ['email', 'phone_number', 'birth_date']],
])('%j is on record', async (input, same) => {
  expect(await find(input)).toEqual([[ada, same]]);
});

test.each([
  {},
  { first_name: 'Ada', last_name: 'Sample' },
  { birth_date: '1980-02-29' },
  { birth_date: '1980-02-28', first_name: 'Ada', last_name: 'Sample' },
  { birth_date: '1980-02-29', first_name: 'Wilma', last_name: 'Novak' },
  { birth_date: '2999-02-28', first_name: 'Ada' },
  { email: 'ada@example', phone_number: '2025550' },
  { email: "' or true --", phone_number: '%' },
  { birth_date: '1980-02-29', first_name: 'O', last_name: 'Vip' },
  { phone_number: '+49 30 123456' },
])('%j is not', async (input) => {
  expect(await find(input)).toEqual([]);
});

test('an archived patient is on record, too', async () => {
  const { id } = await createPatient(nurse, { email: 'old@example.test' });
  await archivePatient(nurse, { id });
  expect(await find({ email: 'old@example.test' })).toEqual([[id, ['email']]]);
});

test('only staff who may add patients learn who is on record', async () => {
  const others = [
    asApplication(clinic.services, tenant),
    asPatient(clinic.services, tenant, ada),
    asStaff(clinic.services, tenant, 'read_only'),
    asStaff(clinic.services, tenant, 'billing'),
  ];
  for (const ctx of others)
    expect(await errorOf(findDuplicates(ctx, { email: ADA.email }))).toMatchObject({ code: 'forbidden' });
  expect(await find({ email: ADA.email }, asStaff(clinic.services, tenant, 'front_desk'))).toHaveLength(1);
});

test.each([
  { birth_date: '1981-02-29' },
  { birth_date: 'soon' },
  { email: 'x'.repeat(255) },
  { first_name: 'a\u0000' },
])('%j does not fit the schema', (input) => {
  expect(FindDuplicatesInput.safeParse(input).success).toBe(false);
});
