import { randomBytes } from 'node:crypto';
import { readAnswers, requireAnswers } from './answers.ts';
import { addonsOf, type Call, calendarOf, newId, parseStart, typeOf } from './call.ts';
import { redeemCertificate, requireUsable } from './certificates.ts';
import { classAt } from './classes.ts';
import { upsertClient } from './clients.ts';
import { acuityError } from './errors.ts';
import { notify, recordEmail } from './notify.ts';
import { isEmail, rejectUnknown, textOf, type Values, zoneOf } from './params.ts';
import { findFreeCalendar } from './slots.ts';
import type { Account, Appointment } from './state.ts';
import { MINUTE_MS } from './zone.ts';

const PARAMETERS = [
  'datetime',
  'appointmentTypeID',
  'firstName',
  'lastName',
  'email',
  'phone',
  'calendarID',
  'timezone',
  'certificate',
  'fields',
  'notes',
  'addonIDs',
  'labels',
  'smsOptIn',
];

export interface Mode {
  /** Staff booking: availability and attributes are not validated, `calendarID` is required. */
  admin: boolean;
  noEmail: boolean;
  /** The staff user's email in the console; defaults to the account's email. */
  by?: string;
}

export function bookAppointment(call: Call, values: Values, mode: Mode): Appointment {
  rejectUnknown(values, PARAMETERS);
  const { account, now } = call;
  const type = typeOf(call, values);
  const calendar = calendarOf(call, values);
  const start = parseStart(call, values, calendar);
  const timezone = zoneOf(values, calendar?.timezone || account.timezone);
  if (mode.admin && !calendar) throw acuityError('invalid_calendar', '');
  const client = {
    firstName: textOf(values, 'firstName'),
    lastName: textOf(values, 'lastName'),
    phone: textOf(values, 'phone'),
    email: textOf(values, 'email'),
  };
  if (!mode.admin) checkClient(client);
  const answers = readAnswers(call, values, type.id);
  if (!mode.admin) requireAnswers(account, type.id, answers);
  const labelIDs = readLabels(account, values);
  const addons = addonsOf(call, values, type);
  const duration = addons.reduce((total, addon) => total + addon.duration, type.duration);
  const query = { type, duration, calendar, ignore: [] };
  const code = textOf(values, 'certificate');
  const certificate = code ? requireUsable(call, code, type, { email: client.email, minutes: duration }) : null;
  const assignedCalendar = mode.admin && calendar ? calendar : findFreeCalendar(call, query, start.at, start.text);

  const appointment: Appointment = {
    ...client,
    id: newId(call),
    typeId: type.id,
    typeName: type.name,
    calendarId: assignedCalendar.id,
    startAt: start.at,
    endAt: start.at + duration * MINUTE_MS,
    duration,
    price: [type, ...addons].reduce((total, { price }) => total + Number(price), 0).toFixed(2),
    addonIDs: addons.map(({ id }) => id),
    timezone,
    notes: mode.admin ? textOf(values, 'notes') : '',
    labelIDs,
    certificate: certificate?.code ?? null,
    classId: classAt(account, { typeId: type.id, calendarId: assignedCalendar.id, startAt: start.at })?.id ?? null,
    isVerified: false,
    answers,
    createdAt: now,
    canceled: false,
    noShow: false,
    cancelNote: '',
    scheduledBy: mode.admin ? (mode.by ?? account.email) : null,
    hash: randomBytes(16).toString('hex'),
  };
  account.appointments.push(appointment);
  redeemCertificate(call, appointment);
  upsertClient(account, client);
  if (!mode.noEmail) recordEmail(call, 'scheduled', appointment);
  notify(call, 'scheduled', appointment);
  return appointment;
}

function checkClient({ firstName, lastName, email }: Record<'firstName' | 'lastName' | 'email', string>): void {
  if (!firstName.trim()) throw acuityError('required_first_name');
  if (!lastName.trim()) throw acuityError('required_last_name');
  if (!email) throw acuityError('required_email');
  if (!isEmail(email)) throw acuityError('invalid_email', email);
}

/** Reads `labels: [{id}]`, at most one. Acuity does not document the error for more. */
export function readLabels(account: Account, values: Values): number[] {
  const { labels } = values;
  if (labels === undefined || labels === null) return [];
  const ids = Array.isArray(labels) ? labels.map((label: { id?: unknown } | null) => label?.id) : [];
  const [id] = ids;
  if (!Array.isArray(labels) || ids.length > 1)
    throw acuityError('bad_request', '"labels" must be a list of one label.');
  if (id === undefined) return [];
  const existing = account.labels.find((label) => String(label.id) === String(id));
  if (!existing) throw acuityError('bad_request', `The label "${String(id)}" does not exist.`);
  return [existing.id];
}
