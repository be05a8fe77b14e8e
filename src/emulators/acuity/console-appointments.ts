import { type Html, html } from '../core/html.ts';
import { checkbox, choice, form, input, section } from './console-frame.ts';
import type { Account, Appointment } from './state.ts';
import { formatLongDate, formatWallClock, localDate, minuteOf } from './zone.ts';

const MAX_SHOWN = 200;
const MAX_PAST_SHOWN = 20;
const named = <T extends { id: number; name: string }>(all: T[]) =>
  all.map(({ id, name }) => ({ value: id, label: name || `(no name, ${id})` }));

export const zoneOf = (account: Account, calendarId: number): string =>
  account.calendars.find(({ id }) => id === calendarId)?.timezone || account.timezone;

/** Formats a local time for `<input type="datetime-local">`. */
export function localTime(at: number, zone: string): string {
  const minute = minuteOf(at, zone);
  const padTwo = (value: number) => String(value).padStart(2, '0');
  return `${localDate(at, zone)}T${padTwo(Math.floor(minute / 60))}:${padTwo(minute % 60)}`;
}

/** Renders the appointments and the forms to change them. */
export function appointmentsPart(account: Account, now: number): Html {
  const live = account.appointments.filter(({ canceled }) => !canceled).sort((a, b) => a.startAt - b.startAt);
  const rows = live.filter(({ endAt }) => endAt > now).slice(0, MAX_SHOWN);
  const past = live.filter(({ endAt }) => endAt <= now).slice(-MAX_PAST_SHOWN);
  const canceled = account.appointments.filter((appointment) => appointment.canceled).slice(-MAX_PAST_SHOWN);
  return section(
    'appointments',
    html`${rows.length ? html`<ul>${rows.map((appointment) => row(account, appointment))}</ul>` : html`<p>Nothing is booked.</p>`}
${endedList('over', past, (appointment) => html`<div>${description(account, appointment)}</div>${noShowForm(account, appointment)}`)}
${endedList('canceled', canceled, (appointment) => html`<div>${description(account, appointment)}</div>`)}
<h3>Book by hand</h3>${bookingForm(account)}`,
  );
}

const endedList = (state: string, all: Appointment[], show: (appointment: Appointment) => Html): Html | '' =>
  all.length
    ? html`<details><summary>The last ${all.length} that are ${state}</summary><ul>${all.reverse().map((appointment) => html`<li>${show(appointment)}</li>`)}</ul></details>`
    : '';

const noShowForm = (account: Account, { id, firstName, lastName }: Appointment): Html =>
  form(
    account,
    `appointments/${id}/cancel`,
    html`<input type="hidden" name="noShow" value="true">`,
    'Did not come',
    `${firstName} ${lastName}`,
  );

function description(account: Account, appointment: Appointment): Html {
  const { calendarId, startAt, typeName, firstName, lastName, email, scheduledBy, canceled, noShow } = appointment;
  const zone = zoneOf(account, calendarId);
  const calendar = account.calendars.find(({ id }) => id === calendarId)?.name ?? 'a calendar that is gone';
  const when = `${formatLongDate(startAt, zone)}, ${formatWallClock(startAt, zone)} (${zone})`;
  const state = noShow ? ' · did not come' : canceled ? ' · canceled' : '';
  return html`<strong>${when}</strong>${state}<br>${typeName} with ${calendar}<br>
<span class="quiet">${firstName} ${lastName}${email ? `, ${email}` : ''} · ${scheduledBy ? `booked by ${scheduledBy}` : 'booked by the client'}</span>`;
}

function row(account: Account, appointment: Appointment): Html {
  const { id, startAt, calendarId, firstName, lastName } = appointment;
  const clientName = `${firstName} ${lastName}`;
  const at = `appointments/${id}`;
  const move = html`${input('Calendar’s time', 'datetime', localTime(startAt, zoneOf(account, calendarId)), {
    type: 'datetime-local',
    required: true,
  })}${choice('Calendar', 'calendarID', named(account.calendars), calendarId)}${by(account)}`;
  return html`<li><div>${description(account, appointment)}</div>
<details><summary>Move, cancel, did not come<span class="quiet"> (${clientName})</span></summary>
${form(account, `${at}/move`, move, 'Move', clientName)}
${form(account, `${at}/cancel`, html`${by(account)}${checkbox('The client did not come', 'noShow', false)}`, 'Cancel', clientName)}
</details></li>`;
}

/** Selects the acting person: staff may do everything, a client what the account's limits allow. */
const by = ({ email, calendars }: Account): Html => {
  const staff = [...new Set([email, ...calendars.flatMap((calendar) => calendar.email || [])])];
  return choice('By', 'by', [
    ...staff.map((email) => ({ value: email, label: email })),
    { value: 'client', label: 'The client, on the booking page' },
  ]);
};

function bookingForm(account: Account): Html {
  const services = account.types.filter(({ active, deleted }) => active && !deleted);
  const calendars = account.calendars.map(({ id, name, timezone }) => ({
    value: id,
    label: `${name} (${timezone || account.timezone})`,
  }));
  return form(
    account,
    'appointments',
    html`${choice('Service', 'appointmentTypeID', named(services))}${choice('Calendar', 'calendarID', calendars)}
${input('Calendar’s time', 'datetime', '', { type: 'datetime-local', required: true })}
${input('First name', 'firstName', '', { required: true })}${input('Last name', 'lastName', '', { required: true })}
${input('Email', 'email', '', { type: 'email' })}${by(account)}`,
    'Book',
  );
}
