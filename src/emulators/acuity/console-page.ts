import type { Account, Appointment, Calendar } from './state.ts';
import { formatLongDate, formatWallClock } from './zone.ts';

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d2b2c; }
  table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .35rem .6rem .35rem 0; border-top: 1px solid #cfd8d8 }
  h1 { font-size: 1.3rem } h2 { font-size: 1.1rem } form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end }
  td form { display: inline } label { display: grid; font-size: .85rem } input, select, button { font: inherit }
`;

/** The accounts' own view of their bookings from `now` on, with what an owner can do by hand. */
export function consolePage(accounts: Account[], now: number): string {
  const sections = accounts.map((account) => section(account, now)).join('') || '<p>There is no account yet.</p>';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Scheduling</title>
<style>${STYLE}</style></head><body><h1>Scheduling console</h1>${sections}</body></html>`;
}

function section(account: Account, now: number): string {
  const coming = account.appointments
    .filter(({ canceled, endAt }) => !canceled && endAt > now)
    .sort((a, b) => a.startAt - b.startAt);
  const head = '<tr><th>When<th>Service<th>Calendar<th>Client<th></tr>';
  const rows = coming.map((appointment) => row(account, appointment)).join('');
  return `<section><h2>${escapeHtml(account.name)}, account ${account.userId}</h2>
${rows ? `<table>${head}${rows}</table>` : '<p>Nothing is booked.</p>'}${bookingForm(account)}</section>`;
}

function row(account: Account, { id, calendarId, startAt, typeName, firstName, lastName }: Appointment): string {
  const calendar = account.calendars.find((each) => each.id === calendarId);
  const zone = calendar?.timezone ?? account.timezone;
  const when = `${formatLongDate(startAt, zone)}, ${formatWallClock(startAt, zone)} (${zone})`;
  const cells = [when, typeName, calendar?.name ?? '', `${firstName} ${lastName}`].map(escapeHtml).join('<td>');
  const action = `/console/${account.userId}/appointments/${id}/cancel`;
  return `<tr><td>${cells}<td><form method="post" action="${action}"><button>Cancel</button></form></tr>`;
}

function bookingForm({ userId, types, calendars }: Account): string {
  const options = (all: { id: number; label: string }[]) =>
    all.map(({ id, label }) => `<option value="${id}">${escapeHtml(label)}</option>`).join('');
  const services = types.filter(({ active, deleted }) => active && !deleted);
  return `<h3>Book by hand</h3><form method="post" action="/console/${userId}/appointments">
<label>Service <select name="appointmentTypeID">${options(services.map(({ id, name }) => ({ id, label: name })))}</select></label>
<label>Calendar <select name="calendarID">${options(calendars.map(({ id, name, timezone }: Calendar) => ({ id, label: `${name} (${timezone})` })))}</select></label>
<label>Calendar's time <input type="datetime-local" name="datetime" required></label>
<label>First name <input name="firstName" required></label>
<label>Last name <input name="lastName" required></label>
<label>Email <input type="email" name="email"></label>
<button>Book</button></form>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
