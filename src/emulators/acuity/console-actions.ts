import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { AccountInput, WEEKDAYS } from './account-input.ts';
import { createBlock, deleteBlock } from './blocks.ts';
import { bookAppointment, type Mode } from './book-appointment.ts';
import { applyBreak, repairBreak } from './breaks.ts';
import { appointmentOf, type Call, newId } from './call.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import type { Part } from './console-frame.ts';
import { deleteWebhook } from './dynamic-webhooks.ts';
import { acuityError } from './errors.ts';
import { sendLost } from './notify.ts';
import { dateOf, textOf, type Values } from './params.ts';
import { changeAccount } from './put-account.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';
import type { AppointmentType, Block, Calendar, WebhookTraffic } from './state.ts';

/** Labels of the console's form fields, for error messages. */
const LABELS: Record<string, string> = {
  name: 'Name',
  timezone: 'Time zone',
  plan: 'Plan',
  interval: 'Minutes between starts',
  minHoursInAdvance: 'Hours in advance, at least',
  maxDaysInAdvance: 'Days in advance, at most',
  duration: 'Minutes',
  price: 'Price',
  paddingBefore: 'Padding before, in minutes',
  paddingAfter: 'Padding after, in minutes',
  type: 'Kind',
  start: 'From',
  end: 'Until',
  until: 'Last day',
  delay: 'Delay in seconds',
  times: 'Number of times',
};
const WEEKDAY = /^[a-z]+day$/;

const labelOf = (key: string): string | undefined =>
  WEEKDAY.test(key) ? key.charAt(0).toUpperCase() + key.slice(1) : LABELS[key];

/** Prefixes the message with the field's label: `Minutes: Enter 0 or more.` */
function fieldError(key: string, message: string): TypeError {
  const label = labelOf(key);
  return new TypeError(label ? `${label}: ${message}` : message);
}

/** Converts a schema error to one message per field: the schema's own message, else a generic one. */
function fieldErrors(error: z.ZodError): TypeError {
  const isFirst = ({ path }: z.core.$ZodIssue, index: number, all: z.core.$ZodIssue[]) =>
    all.findIndex((other) => other.path.join() === path.join()) === index;
  const sentences = error.issues.filter(isFirst).map((issue) => {
    const key = issue.path.filter((part) => typeof part === 'string' && labelOf(part)).at(-1);
    return fieldError(String(key ?? ''), issueMessage(issue)).message;
  });
  return new TypeError([...new Set(sentences)].join(' '));
}

function issueMessage(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_small':
      return issue.origin === 'string' ? 'Fill this in.' : `Enter ${issue.minimum} or more.`;
    case 'too_big':
      return issue.origin === 'array' ? `There can be ${issue.maximum} at most.` : `Enter ${issue.maximum} or less.`;
    case 'invalid_type':
      return issue.expected === 'int' ? 'Enter a whole number.' : 'Enter a number.';
    case 'invalid_value':
      return 'Choose one of the options.';
    default:
      // Zod's own message for a pattern quotes the pattern.
      return /^Invalid/.test(issue.message) ? 'Check the value.' : issue.message;
  }
}

/**
 * Performs a console action and returns the page section to return to.
 * @throws ErrorReply an API error
 * @throws TypeError on invalid input
 */
export type Action = (call: Call, values: Values, params: Record<string, string>) => Part;

/** Selects the acting person: the account's limits apply to a client; every other value is a staff user. */
function modeOf({ account }: Call, { by, ...values }: Values): { mode: Mode; values: Values } {
  if (by === 'client') return { mode: { admin: false, noEmail: true }, values };
  return { mode: { admin: true, noEmail: true, by: typeof by === 'string' && by ? by : account.email }, values };
}

const DROP_OPTIONS: Record<string, WebhookTraffic['drop']> = {
  none: null,
  all: { all: true },
  next: { next: 1 },
  tenth: { share: 0.1, seed: 1, drawn: 0 },
};

/** Matches the limit of `drop_webhooks`; `setTimeout` fires immediately when its delay exceeds 2^31 - 1 ms. */
const MAX_DELAY_SECONDS = 600;

const numberOf = (values: Values, key: string): number => {
  const value = Number(textOf(values, key) || '0');
  if (!Number.isFinite(value) || value < 0) throw fieldError(key, 'Enter a number.');
  return value;
};

export const ACTIONS: Record<string, Action> = {
  appointments(call, input) {
    const { mode, values } = modeOf(call, input);
    bookAppointment(call, values, mode);
    return 'appointments';
  },
  'appointments/:id/cancel'(call, input, { id }) {
    const { mode, values } = modeOf(call, input);
    cancelAppointment(call, appointmentOf(call, id), values, mode);
    return 'appointments';
  },
  'appointments/:id/move'(call, input, { id }) {
    const { mode, values } = modeOf(call, input);
    rescheduleAppointment(call, appointmentOf(call, id), values, mode);
    return 'appointments';
  },

  settings: (call, values) => changeSettings(call, values),
  key({ account }) {
    account.apiKey = randomBytes(16).toString('hex');
    return 'account';
  },

  calendars: (call, values) => addCalendar(call, values),
  'calendars/:id': (call, values, { id }) => changeCalendar(call, Number(id), values),
  'calendars/:id/hours': (call, values, { id }) => changeHours(call, Number(id), values),
  'calendars/:id/remove': (call, _values, { id }) => removeCalendar(call, Number(id)),
  types: (call, values) => addType(call, values),
  'types/:id': (call, values, { id }) => changeType(call, Number(id), values),
  'types/:id/remove': (call, _values, { id }) => removeType(call, Number(id)),
  forms: (call, values) => addForm(call, values),
  'forms/:id': (call, values, { id }) => changeForm(call, Number(id), values),
  'forms/:id/remove': (call, _values, { id }) => removeForm(call, Number(id)),

  blocks(call, { recurring, until, ...values }) {
    const [start, end] = [textOf(values, 'start'), textOf(values, 'end')];
    // Both are local times in the same ISO format, so that string order is time order.
    if (start >= end) throw fieldError('end', 'It must be after the start.');
    const frequency: Block['recurring'] = recurring === 'daily' || recurring === 'weekly' ? recurring : null;
    createBlock(call, values, { recurring: frequency, until: frequency ? dateOf({ until }, 'until') : null });
    return 'blocks';
  },
  'blocks/:id/remove'(call, _values, { id }) {
    deleteBlock(call, id);
    return 'blocks';
  },

  'webhooks/:id/remove'(call, _values, { id }) {
    deleteWebhook(call, id);
    return 'webhooks';
  },
  'deliveries/:id/resend'({ account, world }, _values, { id = '' }) {
    const isOwn = world.webhooks.log().some((delivery) => delivery.id === id && delivery.keyId === account.userId);
    if (!isOwn || !world.webhooks.resend(id)) throw acuityError('not_found');
    return 'webhooks';
  },
  traffic({ account }, values) {
    const drop = DROP_OPTIONS[textOf(values, 'drop')];
    if (drop === undefined) throw new TypeError('Unknown value of drop');
    const seconds = numberOf(values, 'delay');
    if (seconds > MAX_DELAY_SECONDS) throw fieldError('delay', `Enter ${MAX_DELAY_SECONDS} or less.`);
    Object.assign(account.traffic, { drop: structuredClone(drop), delayMs: seconds * 1000 });
    return 'webhooks';
  },
  lost(call) {
    sendLost(call);
    return 'webhooks';
  },

  faults({ world }, values) {
    const [method, path] = textOf(values, 'call').split(' ');
    const match = { ...(method && { method }), path: path ?? '/api/v1/*' };
    const times = numberOf(values, 'times');
    if (!Number.isInteger(times) || times < 1) throw fieldError('times', 'Enter a whole number, 1 or more.');
    world.faults.add({ kind: values.kind, match, times });
    return 'faults';
  },
  'faults/clear'({ world }) {
    world.faults.clear();
    return 'faults';
  },

  'break/:code'(call, _values, { code = '' }) {
    applyBreak(call, code);
    return 'break';
  },
  'repair/:code'(call, _values, { code = '' }) {
    repairBreak(call, code);
    return 'break';
  },
};

/** Validates the input as the controls do and applies it to a copy, so that invalid input changes nothing. */
function saveAccount({ account, world }: Call, input: unknown): void {
  const parsed = AccountInput.safeParse(input);
  if (!parsed.success) throw fieldErrors(parsed.error);
  world.state.accounts[account.userId] = changeAccount(structuredClone(account), parsed.data);
}

const withoutHours = ({ hours: _, ...calendar }: Calendar) => calendar;
const saveCalendars = (call: Call, calendars: object[], types: AppointmentType[] = call.account.types): Part => {
  saveAccount(call, { calendars, types });
  return 'calendars';
};
const saveTypes = (call: Call, types: object[]): Part => {
  saveAccount(call, { types });
  return 'types';
};
const saveForms = (call: Call, forms: object[]): Part => {
  saveAccount(call, { forms });
  return 'forms';
};

function findOrThrow<T extends { id: number }>(all: T[], id: number): T {
  const item = all.find((candidate) => candidate.id === id);
  if (!item) throw acuityError('not_found');
  return item;
}
const replaceItem = <T extends { id: number }>(all: T[], id: number, change: object): object[] => {
  findOrThrow(all, id);
  return all.map((item) => (item.id === id ? { ...item, ...change } : item));
};
const removeItem = <T extends { id: number }>(all: T[], id: number): T[] => {
  findOrThrow(all, id);
  return all.filter((item) => item.id !== id);
};

const isChecked = (values: Values, key: string): boolean => values[key] === 'true';
/** Reads the ids of `checkboxes`, skipping its empty marker value. An id may have been removed since the page was loaded. */
function checkedIds(values: Values, key: string, all: { id: number }[]): number[] {
  const selected = values[key];
  const ids = (Array.isArray(selected) ? selected : []).filter((id) => id !== '').map(Number);
  if (ids.every((id) => all.some((item) => item.id === id))) return ids;
  throw new TypeError('A selected item has since been removed: nothing was saved. Try again.');
}
const unvalidatedNumber = (values: Values, key: string): number => Number(textOf(values, key) || '0');

function changeSettings(call: Call, values: Values): Part {
  saveAccount(call, {
    name: textOf(values, 'name'),
    timezone: textOf(values, 'timezone'),
    plan: textOf(values, 'plan'),
    limits: {
      interval: unvalidatedNumber(values, 'interval'),
      minHoursInAdvance: unvalidatedNumber(values, 'minHoursInAdvance'),
      maxDaysInAdvance: unvalidatedNumber(values, 'maxDaysInAdvance'),
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
const addCalendar = (call: Call, values: Values): Part =>
  saveCalendars(call, [...call.account.calendars.map(withoutHours), { id: newId(call), ...readCalendar(values) }]);

const changeCalendar = (call: Call, id: number, values: Values): Part =>
  saveCalendars(call, replaceItem(call.account.calendars.map(withoutHours), id, readCalendar(values)));

const removeCalendar = (call: Call, id: number): Part =>
  saveCalendars(
    call,
    removeItem(call.account.calendars.map(withoutHours), id),
    call.account.types.map((type) => ({ ...type, calendarIDs: type.calendarIDs.filter((each) => each !== id) })),
  );

function changeHours(call: Call, id: number, values: Values): Part {
  findOrThrow(call.account.calendars, id);
  const days = WEEKDAYS.map((day) => [
    day,
    textOf(values, day)
      .split(',')
      .map((window) => window.replace(/\s/g, ''))
      .filter((window) => window !== ''),
  ]);
  saveAccount(call, { hours: { [id]: Object.fromEntries(days) } });
  return 'calendars';
}

const readType = ({ account }: Call, values: Values) => ({
  name: textOf(values, 'name').trim(),
  duration: unvalidatedNumber(values, 'duration'),
  price: textOf(values, 'price') || '0.00',
  paddingBefore: unvalidatedNumber(values, 'paddingBefore'),
  paddingAfter: unvalidatedNumber(values, 'paddingAfter'),
  active: isChecked(values, 'active'),
  private: isChecked(values, 'private'),
  calendarIDs: checkedIds(values, 'calendarIDs', account.calendars),
});

const addType = (call: Call, values: Values): Part =>
  saveTypes(call, [...call.account.types, { id: newId(call), ...readType(call, values) }]);

const changeType = (call: Call, id: number, values: Values): Part =>
  saveTypes(call, replaceItem(call.account.types, id, readType(call, values)));

/** Marks the type as deleted: its appointments stay, and the API lists it with `includeDeleted`. */
const removeType = (call: Call, id: number): Part =>
  saveTypes(call, replaceItem(call.account.types, id, { deleted: true }));

function readForm(call: Call, values: Values) {
  const rawFields = values.fields;
  const rows = rawFields && typeof rawFields === 'object' ? (Object.values(rawFields) as Values[]) : [];
  return {
    name: textOf(values, 'name'),
    hidden: isChecked(values, 'hidden'),
    appointmentTypeIDs: checkedIds(values, 'appointmentTypeIDs', call.account.types),
    fields: rows.filter((row) => textOf(row, 'name') !== '').map((row) => readQuestion(call, row)),
  };
}

function readQuestion(call: Call, row: Values) {
  const options = textOf(row, 'options')
    .split(',')
    .map((option) => option.trim())
    .filter((option) => option !== '');
  return {
    id: unvalidatedNumber(row, 'id') || newId(call),
    name: textOf(row, 'name'),
    type: textOf(row, 'type'),
    required: isChecked(row, 'required'),
    options: options.length > 0 ? options : null,
  };
}

const addForm = (call: Call, values: Values): Part =>
  saveForms(call, [...call.account.forms, { id: newId(call), ...readForm(call, values) }]);

const changeForm = (call: Call, id: number, values: Values): Part =>
  saveForms(call, replaceItem(call.account.forms, id, readForm(call, values)));

const removeForm = (call: Call, id: number): Part => saveForms(call, removeItem(call.account.forms, id));
