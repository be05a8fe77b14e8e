import { AccountInput, WEEKDAYS } from './account-input.ts';
import { type Call, newId } from './call.ts';
import { fieldErrors } from './console-errors.ts';
import type { Part } from './console-frame.ts';
import { acuityError } from './errors.ts';
import { textOf, type Values } from './params.ts';
import { changeAccount } from './put-account.ts';
import type { AppointmentType, Calendar } from './state.ts';

/** Validates the input as the controls do and applies it to a copy, so that invalid input changes nothing. */
function save({ account, world }: Call, input: unknown): void {
  const read = AccountInput.safeParse(input);
  if (!read.success) throw fieldErrors(read.error);
  world.state.accounts[account.userId] = changeAccount(structuredClone(account), read.data);
}

const plain = ({ hours: _, ...calendar }: Calendar) => calendar;
const saveCalendars = (call: Call, calendars: object[], types: AppointmentType[] = call.account.types): Part => {
  save(call, { calendars, types });
  return 'calendars';
};
const saveTypes = (call: Call, types: object[]): Part => {
  save(call, { types });
  return 'types';
};
const saveForms = (call: Call, forms: object[]): Part => {
  save(call, { forms });
  return 'forms';
};

function known<T extends { id: number }>(all: T[], id: number): T {
  const found = all.find((one) => one.id === id);
  if (!found) throw acuityError('not_found');
  return found;
}
const replaced = <T extends { id: number }>(all: T[], id: number, change: object): object[] => {
  known(all, id);
  return all.map((one) => (one.id === id ? { ...one, ...change } : one));
};
const without = <T extends { id: number }>(all: T[], id: number): T[] => {
  known(all, id);
  return all.filter((one) => one.id !== id);
};

const isTicked = (values: Values, key: string): boolean => values[key] === 'true';
/** Reads the ids of `ticks`, skipping its empty marker value. An id may have been removed since the page was loaded. */
function tickedIds(values: Values, key: string, all: { id: number }[]): number[] {
  const given = values[key];
  const ids = (Array.isArray(given) ? given : []).filter((id) => id !== '').map(Number);
  if (ids.every((id) => all.some((one) => one.id === id))) return ids;
  throw new TypeError('Something that was ticked has since been removed: nothing was saved. Try again.');
}
const numberOf = (values: Values, key: string): number => Number(textOf(values, key) || '0');

export function changeSettings(call: Call, values: Values): Part {
  save(call, {
    name: textOf(values, 'name'),
    timezone: textOf(values, 'timezone'),
    plan: textOf(values, 'plan'),
    limits: {
      interval: numberOf(values, 'interval'),
      minHoursInAdvance: numberOf(values, 'minHoursInAdvance'),
      maxDaysInAdvance: numberOf(values, 'maxDaysInAdvance'),
    },
  });
  return 'account';
}

const readCalendar = (values: Values) => ({
  name: textOf(values, 'name').trim(),
  email: textOf(values, 'email').trim(),
  timezone: textOf(values, 'timezone').trim(),
});

/** A new calendar is not offered until a type is assigned to it. */
export const addCalendar = (call: Call, values: Values): Part =>
  saveCalendars(call, [...call.account.calendars.map(plain), { id: newId(call), ...readCalendar(values) }]);

export const changeCalendar = (call: Call, id: number, values: Values): Part =>
  saveCalendars(call, replaced(call.account.calendars.map(plain), id, readCalendar(values)));

export const removeCalendar = (call: Call, id: number): Part =>
  saveCalendars(
    call,
    without(call.account.calendars.map(plain), id),
    call.account.types.map((type) => ({ ...type, calendarIDs: type.calendarIDs.filter((each) => each !== id) })),
  );

export function changeHours(call: Call, id: number, values: Values): Part {
  known(call.account.calendars, id);
  const days = WEEKDAYS.map((day) => [
    day,
    textOf(values, day)
      .split(',')
      .map((window) => window.replace(/\s/g, ''))
      .filter((window) => window !== ''),
  ]);
  save(call, { hours: { [id]: Object.fromEntries(days) } });
  return 'calendars';
}

const readType = ({ account }: Call, values: Values) => ({
  name: textOf(values, 'name').trim(),
  duration: numberOf(values, 'duration'),
  price: textOf(values, 'price') || '0.00',
  paddingBefore: numberOf(values, 'paddingBefore'),
  paddingAfter: numberOf(values, 'paddingAfter'),
  active: isTicked(values, 'active'),
  private: isTicked(values, 'private'),
  calendarIDs: tickedIds(values, 'calendarIDs', account.calendars),
});

export const addType = (call: Call, values: Values): Part =>
  saveTypes(call, [...call.account.types, { id: newId(call), ...readType(call, values) }]);

export const changeType = (call: Call, id: number, values: Values): Part =>
  saveTypes(call, replaced(call.account.types, id, readType(call, values)));

/** Marks the type as deleted: its appointments stay, and the API lists it with `includeDeleted`. */
export const removeType = (call: Call, id: number): Part =>
  saveTypes(call, replaced(call.account.types, id, { deleted: true }));

function readForm(call: Call, values: Values) {
  const given = values.fields;
  const rows = given && typeof given === 'object' ? (Object.values(given) as Values[]) : [];
  return {
    name: textOf(values, 'name'),
    hidden: isTicked(values, 'hidden'),
    appointmentTypeIDs: tickedIds(values, 'appointmentTypeIDs', call.account.types),
    fields: rows.filter((row) => textOf(row, 'name') !== '').map((row) => readQuestion(call, row)),
  };
}

function readQuestion(call: Call, row: Values) {
  const options = textOf(row, 'options')
    .split(',')
    .map((option) => option.trim())
    .filter((option) => option !== '');
  return {
    id: numberOf(row, 'id') || newId(call),
    name: textOf(row, 'name'),
    type: textOf(row, 'type'),
    required: isTicked(row, 'required'),
    options: options.length > 0 ? options : null,
  };
}

export const addForm = (call: Call, values: Values): Part =>
  saveForms(call, [...call.account.forms, { id: newId(call), ...readForm(call, values) }]);

export const changeForm = (call: Call, id: number, values: Values): Part =>
  saveForms(call, replaced(call.account.forms, id, readForm(call, values)));

export const removeForm = (call: Call, id: number): Part => saveForms(call, without(call.account.forms, id));
