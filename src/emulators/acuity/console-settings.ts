import { type Html, html } from '../core/html.ts';
import type { WeeklyHours } from './availability.ts';
import { choice, form, input, section, tick, ticks } from './console-frame.ts';
import { PLANS } from './plans.ts';
import { type Account, type AppointmentType, type Calendar, FIELD_TYPES, type Form } from './state.ts';
import { WEEKDAYS } from './weekly-hours.ts';

const SPARE_QUESTIONS = 1;
const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);
const same = (all: readonly string[]) => all.map((value) => ({ value, label: value }));

export function accountPart(account: Account): Html {
  const { limits } = account;
  return section(
    'account',
    html`<p>User ID <strong>${account.userId}</strong>, API key <code>${account.apiKey}</code></p>
${form(
  account,
  'settings',
  html`${input('Name', 'name', account.name, { required: true })}${input('Time zone', 'timezone', account.timezone)}
${choice('Plan', 'plan', same(PLANS), account.plan)}
${input('Starts every so many minutes', 'interval', limits.interval, { type: 'number', min: 5 })}
${input('Hours in advance, at least', 'minHoursInAdvance', limits.minHoursInAdvance, { type: 'number', min: 0 })}
${input('Days in advance, at most', 'maxDaysInAdvance', limits.maxDaysInAdvance, { type: 'number', min: 1 })}`,
  'Save account',
)}${form(account, 'key', html``, 'Make a new API key')}`,
  );
}

/** Formats as `09:00-12:00, 13:00-17:00`. */
const hoursOf = (hours: WeeklyHours, day: number): string =>
  (hours[day] ?? []).map(({ startMinute, endMinute }) => `${clock(startMinute)}-${clock(endMinute)}`).join(', ');
const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

export function calendarsPart(account: Account): Html {
  return section(
    'calendars',
    html`${account.calendars.map((calendar) => calendarDetails(account, calendar))}
<h3>Add a calendar</h3>${form(account, 'calendars', calendarFields(account), 'Add')}`,
  );
}

const calendarFields = (account: Account, calendar?: Calendar): Html =>
  html`${input('Name', 'name', calendar?.name, { required: true })}${input('Email', 'email', calendar?.email)}
${input('Time zone', 'timezone', calendar ? calendar.timezone : account.timezone)}`;

function calendarDetails(account: Account, calendar: Calendar): Html {
  const { id, name, email, timezone, hours } = calendar;
  return html`<details><summary>${name} <span class="quiet">${email || 'no email'} · ${timezone || 'no time zone'}</span></summary>
${form(account, `calendars/${id}`, calendarFields(account, calendar), 'Save', name)}
${form(
  account,
  `calendars/${id}/hours`,
  html`${WEEKDAYS.map((day, index) => input(capital(day), day, hoursOf(hours, index), { size: 22 }))}`,
  'Save hours',
  name,
)}${form(account, `calendars/${id}/remove`, html``, 'Remove this calendar', name)}</details>`;
}

export function typesPart(account: Account): Html {
  const types = account.types.filter(({ deleted }) => !deleted);
  return section(
    'types',
    html`${types.map((type) => typeDetails(account, type))}
<h3>Add an appointment type</h3>${form(account, 'types', typeFields(account), 'Add')}`,
  );
}

const typeFields = ({ calendars }: Account, type?: AppointmentType): Html =>
  html`${input('Name', 'name', type?.name)}
${input('Minutes', 'duration', type?.duration ?? 30, { type: 'number', min: 0 })}${input('Price', 'price', type?.price ?? '0.00')}
${input('Minutes kept free before', 'paddingBefore', type?.paddingBefore ?? 0, { type: 'number', min: 0 })}
${input('Minutes kept free after', 'paddingAfter', type?.paddingAfter ?? 0, { type: 'number', min: 0 })}
${tick('Active', 'active', type?.active ?? true)}${tick('Private', 'private', type?.private ?? false)}
${ticks('Calendars', 'calendarIDs', calendars, type ? type.calendarIDs : calendars.map(({ id }) => id))}`;

function typeDetails(account: Account, type: AppointmentType): Html {
  const { id, name, duration, active, calendarIDs } = type;
  const about = `${duration} minutes · ${calendarIDs.length} calendars${active ? '' : ' · not active'}`;
  return html`<details><summary>${name || '(no name)'} <span class="quiet">${about}</span></summary>
${form(account, `types/${id}`, typeFields(account, type), 'Save', name)}
${form(account, `types/${id}/remove`, html``, 'Remove this type', name)}</details>`;
}

export function formsPart(account: Account): Html {
  return section(
    'forms',
    html`${account.forms.map((one) => formDetails(account, one))}
<h3>Add a form</h3>${form(account, 'forms', formFields(account), 'Add')}`,
  );
}

function formFields({ types }: Account, one?: Form): Html {
  const questions = [...(one?.fields ?? []), ...Array<null>(SPARE_QUESTIONS).fill(null)];
  return html`${input('Name', 'name', one?.name, { required: true })}${tick('Internal, for staff alone', 'hidden', one?.hidden ?? false)}
${ticks(
  'Attached to',
  'appointmentTypeIDs',
  types.filter(({ deleted }) => !deleted),
  one?.appointmentTypeIDs ?? [],
)}
${questions.map((field, index) => {
  const at = (key: string) => `fields[${index}][${key}]`;
  return html`<fieldset><legend>${field ? `Question ${index + 1}` : 'A new question'}</legend>
<input type="hidden" name="${at('id')}" value="${field?.id}">${input('Name (empty takes it away)', at('name'), field?.name)}
${choice('Kind', at('type'), same(FIELD_TYPES), field?.type)}${input('Choices, one after a comma', at('options'), field?.options?.join(', '))}
${tick('An answer is demanded', at('required'), field?.required ?? false)}</fieldset>`;
})}`;
}

function formDetails(account: Account, one: Form): Html {
  const { id, name, hidden, fields } = one;
  const about = `${hidden ? 'internal' : 'shown to clients'} · ${fields.map((field) => field.name).join(', ') || 'no question'}`;
  return html`<details><summary>${name} <span class="quiet">${about}</span></summary>
${form(account, `forms/${id}`, formFields(account, one), 'Save', name)}
${form(account, `forms/${id}/remove`, html``, 'Remove this form', name)}</details>`;
}
