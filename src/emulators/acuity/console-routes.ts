import { type Html, html } from '../core/html.ts';
import { type EmulatorRequest, ErrorReply, type Reply, type Route, type World } from '../core/route.ts';
import { WEEKDAYS } from './account-input.ts';
import type { WeeklyHours } from './availability.ts';
import { BREAKS } from './breaks.ts';
import type { Call } from './call.ts';
import { ACTIONS, type Action } from './console-actions.ts';
import { appointmentsPart, zoneOf } from './console-appointments.ts';
import { checkbox, checkboxes, choice, form, frame, input, navigation, section } from './console-frame.ts';
import type { Values } from './params.ts';
import {
  type Account,
  type AcuityState,
  type AppointmentType,
  type Block,
  type Calendar,
  FIELD_TYPES,
  type Form,
  PLANS,
  type WebhookTraffic,
} from './state.ts';
import { formatLongDate, formatWallClock } from './zone.ts';

const MAX_DELIVERIES = 20;

function blocksPart(account: Account): Html {
  const rows = account.blocks.map(
    (block) => html`<li><div>${blockDescription(account, block)}</div>
${form(account, `blocks/${block.id}/remove`, html``, 'Remove', blockDescription(account, block))}</li>`,
  );
  const calendars = account.calendars.map(({ id, name }) => ({ value: id, label: name }));
  const repeats = [
    { value: '', label: 'Once' },
    { value: 'daily', label: 'Every day' },
    { value: 'weekly', label: 'Every week' },
  ];
  return section(
    'blocks',
    html`${rows.length ? html`<ul>${rows}</ul>` : html`<p>No time is blocked.</p>`}
<h3>Block time</h3>${form(
      account,
      'blocks',
      html`${choice('Calendar', 'calendarID', calendars)}
${input('From, calendar’s time', 'start', '', { type: 'datetime-local', required: true })}
${input('Until', 'end', '', { type: 'datetime-local', required: true })}${input('Notes', 'notes')}
${choice('Comes', 'recurring', repeats)}${input('Last day, if it repeats', 'until', '', { type: 'date' })}`,
      'Block',
    )}`,
  );
}

function blockDescription(account: Account, { calendarId, startAt, endAt, notes, recurring, until }: Block): string {
  const zone = zoneOf(account, calendarId);
  const name = account.calendars.find(({ id }) => id === calendarId)?.name ?? 'a calendar that is gone';
  const formatAt = (at: number) => `${formatLongDate(at, zone)}, ${formatWallClock(at, zone)}`;
  const recurrence = recurring ? `, ${recurring}${until ? ` until ${until}` : ''}` : '';
  return `${name}: ${formatAt(startAt)} to ${formatAt(endAt)}${recurrence}${notes ? ` · ${notes}` : ''}`;
}

function trafficDescription({ drop, delayMs }: WebhookTraffic): string {
  const late = delayMs > 0 ? ` Each is sent with a delay of ${delayMs / 1000} s.` : '';
  if (!drop) return `Webhooks are sent.${late}`;
  if ('all' in drop) return 'All webhooks are dropped.';
  if ('share' in drop) return `${drop.share * 100} % of the webhooks are dropped.${late}`;
  return `${drop.next === 1 ? 'The next webhook is' : `The next ${drop.next} webhooks are`} dropped.${late}`;
}

function webhooksPart(account: Account, { webhooks }: World<AcuityState>): Html {
  const hooks = [
    ...account.dynamicWebhooks.map(
      ({ id, event, target }) =>
        html`<li><div>${event} to ${target}</div>${form(account, `webhooks/${id}/remove`, html``, 'Remove', target)}</li>`,
    ),
    ...account.staticWebhooks.map(({ url, event }) => html`<li><div>${event ?? 'everything'} to ${url}</div></li>`),
  ];
  const sent = webhooks
    .log()
    .filter(({ keyId }) => keyId === account.userId)
    .slice(-MAX_DELIVERIES)
    .reverse()
    .map((delivery) => {
      const last = delivery.attempts.at(-1);
      const outcome = last ? (last.status ?? last.error ?? '') : 'not tried yet';
      const about = `${delivery.event}, appointment ${new URLSearchParams(delivery.body).get('id')}`;
      return html`<li><div>${about} · ${delivery.status} <span class="quiet">(${outcome})</span></div>
${form(account, `deliveries/${delivery.id}/resend`, html``, 'Send again', about)}</li>`;
    });
  const { traffic } = account;
  const loss = [
    { value: 'none', label: 'None' },
    { value: 'all', label: 'All' },
    { value: 'next', label: 'The next one' },
    { value: 'tenth', label: 'One in ten' },
  ];
  const selectedDrop = !traffic.drop
    ? 'none'
    : 'all' in traffic.drop
      ? 'all'
      : 'next' in traffic.drop
        ? 'next'
        : 'tenth';
  return section(
    'webhooks',
    html`${hooks.length ? html`<ul>${hooks}</ul>` : html`<p>No webhook is registered.</p>`}
<p>${trafficDescription(traffic)}</p>
${form(
  account,
  'traffic',
  html`${choice('Dropped webhooks', 'drop', loss, selectedDrop)}${input('Delay in seconds', 'delay', traffic.delayMs / 1000, { type: 'number', min: 0 })}`,
  'Save',
)}
${traffic.lost.length ? html`<p>Dropped so far: ${traffic.lost.length}.</p>${form(account, 'lost', html``, 'Send dropped webhooks')}` : ''}
<h3>Recent deliveries</h3>${sent.length ? html`<ul>${sent}</ul>` : html`<p>No webhook was sent.</p>`}`,
  );
}

const CALLS = [
  ['', 'Every request'],
  ['GET /api/v1/availability/times', 'Reading availability'],
  ['GET /api/v1/appointment-types', 'Reading appointment types'],
  ['GET /api/v1/calendars', 'Reading calendars'],
  ['GET /api/v1/forms', 'Reading forms'],
  ['GET /api/v1/blocks', 'Reading blocked time'],
  ['POST /api/v1/availability/check-times', 'Checking a time'],
  ['GET /api/v1/me', 'Reading the account'],
  ['GET /api/v1/webhooks', 'Listing webhooks'],
  ['POST /api/v1/webhooks', 'Registering a webhook'],
  ['DELETE /api/v1/webhooks/:id', 'Removing a webhook'],
  ['GET /api/v1/appointments', 'Listing appointments'],
  ['GET /api/v1/appointments/:id', 'Reading an appointment'],
  ['POST /api/v1/appointments', 'Booking'],
  ['PUT /api/v1/appointments/:id/reschedule', 'Rescheduling'],
  ['PUT /api/v1/appointments/:id/cancel', 'Canceling'],
] as const;
const KINDS = [
  ['503', 'Returns 503 (unavailable)'],
  ['500', 'Returns 500 (error)'],
  ['429', 'Returns 429 (too many requests)'],
  ['timeout_before', 'No response, request not processed'],
  ['timeout_after', 'No response, request processed'],
  ['reset_before', 'Connection closed, request not processed'],
  ['reset_after', 'Connection closed, request processed'],
  ['slow_drip', 'Responds very slowly'],
  ['truncated', 'Truncated response'],
  ['wrong_schema', 'Response with a wrong schema'],
] as const;
const asOptions = (all: readonly (readonly [string, string])[]) => all.map(([value, label]) => ({ value, label }));

/** Faults apply to all accounts of the emulator. */
function faultsPart(account: Account, { faults }: World<AcuityState>): Html {
  const list = faults.list();
  const rows = list.map(({ kind, match, times }) => {
    const where = CALLS.find(([call]) => call === `${match.method ?? ''} ${match.path ?? ''}`.trim());
    return html`<li><div>${KINDS.find(([id]) => id === kind)?.[1] ?? kind}: ${where?.[1] ?? match.path ?? 'Every request'}, ${times} more times</div></li>`;
  });
  return section(
    'faults',
    html`${rows.length ? html`<ul>${rows}</ul>${form(account, 'faults/clear', html``, 'Remove all faults')}` : html`<p>No faults are set.</p>`}
${form(
  account,
  'faults',
  html`${choice('Fault', 'kind', asOptions(KINDS))}${choice('Request', 'call', asOptions(CALLS))}
${input('Number of times', 'times', 1, { type: 'number', min: 1 })}`,
  'Add fault',
)}`,
  );
}

const EMPTY_QUESTION_ROWS = 1;
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const toOptions = (all: readonly string[]) => all.map((value) => ({ value, label: value }));

function accountPart(account: Account): Html {
  const { limits } = account;
  return section(
    'account',
    html`<p>User ID <strong>${account.userId}</strong>, API key <code>${account.apiKey}</code></p>
${form(
  account,
  'settings',
  html`${input('Name', 'name', account.name, { required: true })}${input('Time zone', 'timezone', account.timezone)}
${choice('Plan', 'plan', toOptions(PLANS), account.plan)}
${input('Minutes between starts', 'interval', limits.interval, { type: 'number', min: 5 })}
${input('Hours in advance, at least', 'minHoursInAdvance', limits.minHoursInAdvance, { type: 'number', min: 0 })}
${input('Days in advance, at most', 'maxDaysInAdvance', limits.maxDaysInAdvance, { type: 'number', min: 1 })}`,
  'Save account',
)}${form(account, 'key', html``, 'Create a new API key')}`,
  );
}

/** Formats as `09:00-12:00, 13:00-17:00`. */
const hoursOf = (hours: WeeklyHours, day: number): string =>
  (hours[day] ?? []).map(({ startMinute, endMinute }) => `${clock(startMinute)}-${clock(endMinute)}`).join(', ');
const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

function calendarsPart(account: Account): Html {
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

function typesPart(account: Account): Html {
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
${input('Padding before, in minutes', 'paddingBefore', type?.paddingBefore ?? 0, { type: 'number', min: 0 })}
${input('Padding after, in minutes', 'paddingAfter', type?.paddingAfter ?? 0, { type: 'number', min: 0 })}
${checkbox('Active', 'active', type?.active ?? true)}${checkbox('Private', 'private', type?.private ?? false)}
${checkboxes('Calendars', 'calendarIDs', calendars, type ? type.calendarIDs : calendars.map(({ id }) => id))}`;

function typeDetails(account: Account, type: AppointmentType): Html {
  const { id, name, duration, active, calendarIDs } = type;
  const about = `${duration} minutes · ${calendarIDs.length} calendars${active ? '' : ' · not active'}`;
  return html`<details><summary>${name || '(no name)'} <span class="quiet">${about}</span></summary>
${form(account, `types/${id}`, typeFields(account, type), 'Save', name)}
${form(account, `types/${id}/remove`, html``, 'Remove this type', name)}</details>`;
}

function formsPart(account: Account): Html {
  return section(
    'forms',
    html`${account.forms.map((one) => formDetails(account, one))}
<h3>Add a form</h3>${form(account, 'forms', formFields(account), 'Add')}`,
  );
}

function formFields({ types }: Account, one?: Form): Html {
  const questions = [...(one?.fields ?? []), ...Array<null>(EMPTY_QUESTION_ROWS).fill(null)];
  return html`${input('Name', 'name', one?.name, { required: true })}${checkbox('Internal, for staff alone', 'hidden', one?.hidden ?? false)}
${checkboxes(
  'Attached to',
  'appointmentTypeIDs',
  types.filter(({ deleted }) => !deleted),
  one?.appointmentTypeIDs ?? [],
)}
${questions.map((field, index) => {
  const at = (key: string) => `fields[${index}][${key}]`;
  return html`<fieldset><legend>${field ? `Question ${index + 1}` : 'A new question'}</legend>
<input type="hidden" name="${at('id')}" value="${field?.id}">${input('Name (empty takes it away)', at('name'), field?.name)}
${choice('Kind', at('type'), toOptions(FIELD_TYPES), field?.type)}${input('Choices, one after a comma', at('options'), field?.options?.join(', '))}
${checkbox('Required', at('required'), field?.required ?? false)}</fieldset>`;
})}`;
}

function formDetails(account: Account, one: Form): Html {
  const { id, name, hidden, fields } = one;
  const about = `${hidden ? 'internal' : 'shown to clients'} · ${fields.map((field) => field.name).join(', ') || 'no question'}`;
  return html`<details><summary>${name} <span class="quiet">${about}</span></summary>
${form(account, `forms/${id}`, formFields(account, one), 'Save', name)}
${form(account, `forms/${id}/remove`, html``, 'Remove this form', name)}</details>`;
}

const unknown = () => frame('Unknown account', html`<p><a href="/">All accounts</a></p>`, 404);

/**
 * The account owner's console: `/` lists the accounts, `/console/{userId}` shows one. Its actions
 * simulate changes made in Acuity without the product's knowledge. Errors are shown on the page.
 */
export const CONSOLE_ROUTES: Route<AcuityState>[] = [
  { method: 'GET', path: '/', handle: (_request, world) => consoleIndex(world) },
  {
    method: 'GET',
    path: '/console/:userId',
    handle: (request, world) => {
      const call = callOf(request, world);
      return call ? consolePage(call.account, world) : unknown();
    },
  },
  ...Object.entries(ACTIONS).map(
    ([path, action]): Route<AcuityState> => ({
      method: 'POST',
      path: `/console/:userId/${path}`,
      handle: (request, world) => performAction(request, world, action),
    }),
  ),
];

function performAction(request: EmulatorRequest, world: World<AcuityState>, action: Action): Reply {
  const call = callOf(request, world);
  if (!call) return unknown();
  try {
    const part = action(call, request.body as Values, request.params);
    return { status: 303, headers: { location: `/console/${call.account.userId}#${part}` } };
  } catch (error) {
    return consolePage(call.account, world, sentenceOf(error));
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof ErrorReply) return (error.reply.body as { message: string }).message;
  if (error instanceof TypeError) return error.message;
  throw error;
}

function callOf({ params }: EmulatorRequest, world: World<AcuityState>): Call | null {
  const { userId = '' } = params;
  const account = Object.hasOwn(world.state.accounts, userId) ? world.state.accounts[userId] : undefined;
  return account ? { account, now: world.clock.now(), world } : null;
}

/** Lists the accounts; with a single account, renders its console. */
function consoleIndex(world: World<AcuityState>): Reply {
  const accounts = Object.values(world.state.accounts);
  const [account, ...otherAccounts] = accounts;
  if (account && otherAccounts.length === 0) return consolePage(account, world);
  const links = accounts.map(
    ({ userId, name }) => html`<li><div><a href="/console/${userId}">${name}, account ${userId}</a></div></li>`,
  );
  return frame('Scheduling console', accounts.length ? html`<ul>${links}</ul>` : html`<p>There is no account yet.</p>`);
}

/** Renders an account's console with every action of its owner. `problem` is shown at the top, with status 400. */
function consolePage(account: Account, world: World<AcuityState>, problem?: string): Reply {
  const title = `${account.name}, account ${account.userId}`;
  const content = html`${problem ? html`<p class="alert" role="alert">${problem}</p>` : ''}
${navigation()}
${appointmentsPart(account, world.clock.now())}${accountPart(account)}${calendarsPart(account)}${blocksPart(account)}
${typesPart(account)}${formsPart(account)}${webhooksPart(account, world)}${faultsPart(account, world)}${breakPart(account)}`;
  return frame(title, content, problem ? 400 : 200);
}

function breakPart(account: Account): Html {
  const rows = Object.entries(BREAKS).map(([code, { label }]) => {
    const isBroken = Object.hasOwn(account.broken, code);
    const action = isBroken ? `repair/${code}` : `break/${code}`;
    return html`<li><div>${label}${isBroken ? html` <strong>Broken</strong>` : ''}</div>
${form(account, action, html``, isBroken ? 'Repair' : 'Break', label)}</li>`;
  });
  return section(
    'break',
    html`<p class="quiet">Carelane needs each of these. Its Integrations page reports what is broken here: immediately with “Check now”, otherwise within an hour. Dropped webhooks are reported only some time after the next change.</p><ul>${rows}</ul>`,
  );
}
