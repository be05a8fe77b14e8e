import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { CreatePatientInput, PatientView } from '#contract/patients.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import type { Fault } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';

const MAX_ROWS = 20;

type NestedRow = { id: string; primary: boolean; active: boolean };
/** One entry of `…_attributes` with its JSON pointer in the body. */
export type NestedChange<Row> = {
  pointer: string;
  attributes: { [Key in keyof Row]?: Row[Key] | undefined } & { _destroy?: boolean | undefined };
};
type NestedPlan<Row> = {
  /** All resulting rows, in order. */
  rows: Row[];
  created: Row[];
  changed: Row[];
  dropped: string[];
  /** Rows that are no longer primary; must be written before another row becomes primary. */
  unprimed: string[];
  /** JSON pointers of the rows in the body, by row id. */
  pointers: Map<string, string>;
  faults: Fault[];
};

const at = (pointer: string) => ({ source: { pointer } });

/**
 * Plans the changes that `phones_attributes` or `addresses_attributes` make to a patient's rows. An `id` edits,
 * `_destroy` deletes, no `id` adds. Marking one row as primary un-marks the others; when none is primary, the first new
 * active row not marked otherwise becomes primary.
 */
export function planNestedRows<Row extends NestedRow>(
  what: string,
  existing: Row[],
  changes: NestedChange<Row>[],
  blank: () => Row,
): NestedPlan<Row> {
  const faults: Fault[] = [];
  const existingById = new Map(existing.map((row) => [row.id, row]));
  const edits = new Map<string, Row>();
  const dropped = new Set<string>();
  const created: Row[] = [];
  const undecided: Row[] = [];
  const pointers = new Map<string, string>();
  let requestedPrimary: Row | null = null;

  for (const { pointer, attributes } of changes) {
    const { id, _destroy, ...values } = attributes;
    const existingRow = id === undefined ? undefined : existingById.get(id);
    if (id !== undefined && !existingRow) {
      faults.push({ code: 'invalid_parameter', detail: `This patient has no such ${what}.`, ...at(`${pointer}/id`) });
      continue;
    }
    if (id !== undefined && (edits.has(id) || dropped.has(id))) {
      faults.push({ code: 'invalid_parameter', detail: `This ${what} is named twice.`, ...at(`${pointer}/id`) });
      continue;
    }
    if (_destroy) {
      if (existingRow) dropped.add(existingRow.id);
      else faults.push({ code: 'missing_parameter', detail: '"_destroy" needs an "id".', ...at(`${pointer}/id`) });
      continue;
    }
    const definedValues = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    const row: Row = { ...(existingRow ?? blank()), ...definedValues };
    pointers.set(row.id, pointer);
    if (existingRow) edits.set(row.id, row);
    else created.push(row);
    if (values.primary) {
      if (requestedPrimary)
        faults.push({
          code: 'invalid_parameter',
          detail: `Only one ${what} can be primary.`,
          ...at(`${pointer}/primary`),
        });
      requestedPrimary = row;
    } else if (!existingRow && values.primary === undefined && row.active) undecided.push(row);
  }

  const rows = [...existing.filter((row) => !dropped.has(row.id)).map((row) => edits.get(row.id) ?? row), ...created];
  if (rows.length > MAX_ROWS)
    faults.push({
      code: 'invalid_parameter',
      detail: `A patient has at most ${MAX_ROWS} of these.`,
      ...at(changes[0]?.pointer ?? ''),
    });
  const primary = requestedPrimary ?? rows.find((row) => row.primary) ?? undecided[0];
  const finalRows = rows.map((row) => ({ ...row, primary: row === primary }));
  const isNew = new Set(created.map((row) => row.id));
  return {
    rows: finalRows,
    created: finalRows.filter((row) => isNew.has(row.id)),
    changed: finalRows.filter((row) => edits.has(row.id)),
    dropped: [...dropped],
    unprimed: finalRows.filter((row) => !row.primary && existingById.get(row.id)?.primary).map((row) => row.id),
    pointers,
    faults,
  };
}

type PhoneRow = PatientView['phones'][number];

/**
 * Plans the changes of a patient's phones from the request; `phone_number` is a shorthand for one new primary phone.
 */
export function planPhones(
  existing: PhoneRow[],
  input: Pick<CreatePatientInput, 'phones_attributes' | 'phone_number'>,
): NestedPlan<PhoneRow> {
  const faults: Fault[] = [];
  const e164 = (number: string, pointer: string): string => {
    const parsed = parsePhoneNumber(number);
    const detail = 'This is not a valid phone number; give it with its country code, such as +12025550123.';
    if (!parsed) faults.push({ code: 'invalid_parameter', detail, source: { pointer } });
    return parsed ?? number;
  };
  const changes: NestedChange<PhoneRow>[] = (input.phones_attributes ?? []).map(({ number, ...rest }, index) => {
    const pointer = `/phones_attributes/${index}`;
    if (number !== undefined) return { pointer, attributes: { ...rest, number: e164(number, `${pointer}/number`) } };
    if (rest.id === undefined && !rest._destroy)
      faults.push({
        code: 'missing_parameter',
        detail: 'A new phone needs a "number".',
        source: { pointer: `${pointer}/number` },
      });
    return { pointer, attributes: rest };
  });
  if (input.phone_number) {
    const number = e164(input.phone_number, '/phone_number');
    const same = changes.find(({ attributes }) => attributes.id === undefined && attributes.number === number);
    if (same?.attributes.primary === false)
      faults.push({
        code: 'invalid_parameter',
        detail: 'This number was also given as the primary phone, so it cannot be marked as not primary.',
        source: { pointer: `${same.pointer}/primary` },
      });
    else if (same) same.attributes.primary = true;
    else changes.unshift({ pointer: '/phone_number', attributes: { number, primary: true } });
  }
  const blank = (): PhoneRow => ({ id: newId(), number: '', label: null, primary: false, active: true });
  const plan = planNestedRows('phone', existing, changes, blank);
  const primary = plan.rows.find((row) => row.primary);
  if (primary && !primary.active)
    faults.push({
      code: 'invalid_parameter',
      detail: 'The primary phone must be active; make another one primary first.',
      source: { pointer: `${plan.pointers.get(primary.id)}/active` },
    });
  return { ...plan, faults: [...faults, ...plan.faults] };
}

/** Returns a phone number in E.164, or null. Without a country code it is read as a United States number. */
export function parsePhoneNumber(text: string): string | null {
  const parsed = parsePhoneNumberFromString(text, { defaultCountry: 'US', extract: false });
  return parsed?.isValid() && !parsed.ext ? parsed.number : null;
}

type AddressRow = PatientView['addresses'][number];

/** Plans the changes of a patient's addresses from the request. */
export function planAddresses(
  existing: AddressRow[],
  input: Pick<CreatePatientInput, 'addresses_attributes'>,
): NestedPlan<AddressRow> {
  const changes = (input.addresses_attributes ?? []).map((attributes, index) => ({
    pointer: `/addresses_attributes/${index}`,
    attributes,
  }));
  const empty = { line1: null, line2: null, city: null, state: null, zip: null, country: null, label: null };
  return planNestedRows('address', existing, changes, () => ({ id: newId(), ...empty, primary: false, active: true }));
}

/**
 * Writes both plans in the caller's transaction. Rows are un-marked first, because the exclusion constraint allows only
 * one primary row at any moment.
 */
export async function writeNestedRows(
  tx: Tx,
  ctx: Context,
  patientId: string,
  phones: NestedPlan<PhoneRow>,
  addresses: NestedPlan<AddressRow>,
): Promise<void> {
  const owner = { tenantId: ctx.tenantId, patientId };
  const createdAt = ctx.clock.now();
  const idFilter = (ids: string[]) => ({ ...owner, id: { in: ids } });
  if (phones.dropped.length > 0) await tx.patientPhone.deleteMany({ where: idFilter(phones.dropped) });
  if (phones.unprimed.length > 0)
    await tx.patientPhone.updateMany({ where: idFilter(phones.unprimed), data: { primary: false } });
  for (const { id, ...data } of phones.changed) await tx.patientPhone.updateMany({ where: idFilter([id]), data });
  if (phones.created.length > 0)
    await tx.patientPhone.createMany({ data: inOrder(phones.created).map((row) => ({ ...row, ...owner, createdAt })) });

  if (addresses.dropped.length > 0) await tx.patientAddress.deleteMany({ where: idFilter(addresses.dropped) });
  if (addresses.unprimed.length > 0)
    await tx.patientAddress.updateMany({ where: idFilter(addresses.unprimed), data: { primary: false } });
  for (const { id, ...data } of addresses.changed) await tx.patientAddress.updateMany({ where: idFilter([id]), data });
  if (addresses.created.length > 0)
    await tx.patientAddress.createMany({
      data: inOrder(addresses.created).map((row) => ({ ...row, ...owner, createdAt })),
    });
}

/** Ids of one millisecond sort randomly; assigned in sorted order, they keep the order of the request. */
function inOrder<Row extends { id: string }>(rows: Row[]): Row[] {
  const ids = rows.map((row) => row.id).sort();
  return rows.map((row, index) => ({ ...row, id: ids[index] ?? row.id }));
}
