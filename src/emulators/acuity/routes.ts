import { timingSafeEqual } from 'node:crypto';
import { type EmulatorRequest, ErrorReply, matchPath, type Route } from '../core/route.ts';
import { createBlock, deleteBlock, findBlock, listBlocks, presentBlock } from './blocks.ts';
import { bookAppointment, type Mode } from './book-appointment.ts';
import { addonsOf, appointmentOf, type Call, calendarOf, parseStart, typeOf } from './call.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import {
  checkCertificate,
  createCertificate,
  deleteCertificate,
  listCertificates,
  presentCertificate,
} from './certificates.ts';
import { listClasses } from './classes.ts';
import { createClient, deleteClient, listClients, updateClient } from './clients.ts';
import { createWebhook, deleteWebhook, presentWebhook } from './dynamic-webhooks.ts';
import { acuityError } from './errors.ts';
import {
  dateOf,
  flagOf,
  idOf,
  idsOf,
  jsonObject,
  maxOf,
  rejectUnknown,
  textOf,
  type Values,
  zoneOf,
} from './params.ts';
import { presentAppointment } from './present-appointment.ts';
import { presentCalendars, presentMe, presentTypes } from './present-settings.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';
import { candidateCalendars, findFreeCalendar, type SlotQuery, slotsOn } from './slots.ts';
import { type Account, type AcuityState, type Appointment, hasApi, type Order } from './state.ts';
import { updateAppointment } from './update-appointment.ts';
import { addDays, formatInstant, isDate, startOfDay } from './zone.ts';

/** Lists orders, newest first, by default 100. */
function listOrders({ account }: Call, query: Values): Order[] {
  rejectUnknown(query, ['max']);
  return [...account.orders].sort((a, b) => b.at - a.at || b.id - a.id).slice(0, maxOf(query, 100));
}

function findOrder({ account }: Call, id: string | undefined): Order {
  const order = account.orders.find((each) => String(each.id) === id);
  if (!order) throw acuityError('not_found');
  return order;
}

const presentOrder = ({ account }: Call, { at, ...order }: Order) => ({
  ...order,
  time: formatInstant(at, account.timezone),
});

/** Lists products; with `deleted`, only the deleted ones. */
function listProducts({ account }: Call, query: Values) {
  rejectUnknown(query, ['deleted']);
  const deleted = flagOf(query, 'deleted');
  return account.products
    .filter((product) => product.deleted === deleted)
    .map(({ id, name, description, price, hidden, appointmentTypeIDs, expiresInDays }) => ({
      id,
      name,
      description,
      price,
      hidden,
      type: 'package',
      appointmentTypeIDs,
      expires: expiresInDays,
    }));
}

const COMMON = ['appointmentTypeID', 'calendarID', 'addonIDs', 'timezone'];

/** Lists one day's slots in the requested time zone, merged over all calendars when the request names none. */
function listTimes(call: Call, query: Values): { time: string; slotsAvailable: number }[] {
  rejectUnknown(query, [...COMMON, 'date', 'ignoreAppointmentIDs']);
  const { slotQuery, zone } = readSlotQuery(call, query);
  const date = dateOf(query, 'date');
  if (date === null) throw acuityError('bad_request', 'Attribute "date" is required.');
  const range = { startAt: startOfDay(date, zone), endAt: startOfDay(addDays(date, 1), zone) };
  const starts = candidateCalendars(call.account, slotQuery).flatMap((calendar) =>
    slotsOn(call, calendar, slotQuery, range),
  );
  const places = new Map<number, number>();
  for (const at of starts) places.set(at, (places.get(at) ?? 0) + 1);
  return [...places]
    .sort(([a], [b]) => a - b)
    .map(([at, slotsAvailable]) => ({ time: formatInstant(at, zone), slotsAvailable }));
}

/** Lists the days of a month that have at least one slot. */
function listDates(call: Call, query: Values): { date: string }[] {
  rejectUnknown(query, [...COMMON, 'month']);
  const { slotQuery, zone } = readSlotQuery(call, query);
  const month = textOf(query, 'month');
  if (!isDate(`${month}-01`)) throw acuityError('bad_request', 'Attribute "month" is required as YYYY-MM.');
  const days: { date: string; startAt: number; endAt: number }[] = [];
  for (let date = `${month}-01`; date.startsWith(month); date = addDays(date, 1)) {
    days.push({ date, startAt: startOfDay(date, zone), endAt: startOfDay(addDays(date, 1), zone) });
  }
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) throw new Error(`No days in ${month}`);
  const range = { startAt: first.startAt, endAt: last.endAt };
  const starts = candidateCalendars(call.account, slotQuery).flatMap((calendar) =>
    slotsOn(call, calendar, slotQuery, range),
  );
  return days
    .filter(({ startAt, endAt }) => starts.some((at) => at >= startAt && at < endAt))
    .map(({ date }) => ({ date }));
}

function readSlotQuery(call: Call, query: Values): { slotQuery: SlotQuery; zone: string } {
  const type = typeOf(call, query);
  const calendar = calendarOf(call, query);
  const zone = zoneOf(query, calendar?.timezone || call.account.timezone);
  const duration = addonsOf(call, query, type).reduce((total, addon) => total + addon.duration, type.duration);
  return { slotQuery: { type, duration, calendar, ignore: idsOf(query, 'ignoreAppointmentIDs') }, zone };
}

const FILTERS = [
  'max',
  'minDate',
  'maxDate',
  'calendarID',
  'appointmentTypeID',
  'canceled',
  'showall',
  'firstName',
  'lastName',
  'email',
  'phone',
  'excludeForms',
  'direction',
];

const sameText = (filter: string, value: string) => filter === '' || filter.toLowerCase() === value.toLowerCase();

/**
 * Lists appointments. `minDate` and `maxDate` are whole days in the
 * business's time zone, both inclusive. There is no paging beyond `max`.
 */
function listAppointments({ account }: Call, query: Values): Appointment[] {
  const fieldFilters = Object.keys(query).filter((key) => /^field:\d+$/.test(key));
  rejectUnknown(query, [...FILTERS, ...fieldFilters]);
  const minDate = dateOf(query, 'minDate');
  const maxDate = dateOf(query, 'maxDate');
  const from = minDate ? startOfDay(minDate, account.timezone) : Number.NEGATIVE_INFINITY;
  const until = maxDate ? startOfDay(addDays(maxDate, 1), account.timezone) : Number.POSITIVE_INFINITY;
  const calendarId = idOf(query, 'calendarID');
  const typeId = idOf(query, 'appointmentTypeID');
  const canceled = flagOf(query, 'canceled');
  const showAll = flagOf(query, 'showall');
  const ascending = readDirection(query) === 'ASC';

  return account.appointments
    .filter(
      (each) =>
        each.startAt >= from &&
        each.startAt < until &&
        (showAll || each.canceled === canceled) &&
        (calendarId === null || each.calendarId === calendarId) &&
        (typeId === null || each.typeId === typeId) &&
        sameText(textOf(query, 'firstName'), each.firstName) &&
        sameText(textOf(query, 'lastName'), each.lastName) &&
        sameText(textOf(query, 'email'), each.email) &&
        sameText(textOf(query, 'phone'), each.phone) &&
        fieldFilters.every((key) => hasAnswer(each, Number(key.slice('field:'.length)), textOf(query, key))),
    )
    .sort((a, b) => (ascending ? a.startAt - b.startAt : b.startAt - a.startAt) || a.id - b.id)
    .slice(0, maxOf(query, 100));
}

const hasAnswer = ({ answers }: Appointment, fieldID: number, value: string) =>
  answers.some((answer) => answer.fieldID === fieldID && answer.value === value);

function readDirection(query: Values): string {
  const direction = textOf(query, 'direction') || 'DESC';
  if (direction !== 'ASC' && direction !== 'DESC') throw acuityError('bad_request', '"direction" must be ASC or DESC.');
  return direction;
}

/**
 * Returns the request with `valid`, true when it can be booked now. Acuity does
 * not document the key for the reason; the emulator uses its error shape.
 */
function checkTime(call: Call, values: Values) {
  rejectUnknown(values, ['datetime', 'appointmentTypeID', 'calendarID', 'addonIDs']);
  try {
    const type = typeOf(call, values);
    const calendar = calendarOf(call, values);
    const start = parseStart(call, values, calendar);
    findFreeCalendar(
      call,
      {
        type,
        duration: addonsOf(call, values, type).reduce((total, addon) => total + addon.duration, type.duration),
        calendar,
        ignore: [],
      },
      start.at,
      start.text,
    );
    return { ...values, valid: true };
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
    const { error: code, message } = error.reply.body as { error: string; message: string };
    return { ...values, valid: false, error: code, message };
  }
}

type Verb = (call: Call, request: Parsed) => unknown;

interface Parsed {
  id: string | undefined;
  query: Values;
  /**
   * Returns the body.
   * @throws ErrorReply `bad_request` when it is not a JSON object
   */
  body(): Values;
  rawBody: unknown;
}

const withoutQuery =
  (verb: (call: Call) => unknown): Verb =>
  (call, { query }) => {
    rejectUnknown(query, []);
    return verb(call);
  };

function modeOf(query: Values): Mode {
  rejectUnknown(query, ['admin', 'noEmail']);
  return { admin: flagOf(query, 'admin'), noEmail: flagOf(query, 'noEmail') };
}

const VERBS: Record<string, Verb> = {
  'GET /me': withoutQuery(presentMe),
  'GET /appointment-types': (call, { query }) => {
    rejectUnknown(query, ['includeDeleted']);
    return presentTypes(call, flagOf(query, 'includeDeleted'));
  },
  'GET /calendars': withoutQuery(presentCalendars),
  'GET /forms': withoutQuery(({ account }) => account.forms),
  'GET /labels': withoutQuery(({ account }) => account.labels),
  'GET /appointment-addons': withoutQuery(({ account }) => account.addons),

  'GET /availability/dates': (call, { query }) => listDates(call, query),
  'GET /availability/times': (call, { query }) => listTimes(call, query),
  'GET /availability/classes': (call, { query }) => listClasses(call, query),
  'POST /availability/check-times': (call, { body, rawBody }) =>
    Array.isArray(rawBody) ? rawBody.map((slot: Values) => checkTime(call, slot)) : checkTime(call, body()),

  'GET /appointments': (call, { query }) => {
    const withForms = !flagOf(query, 'excludeForms');
    return listAppointments(call, query).map((each) => presentAppointment(call, each, withForms));
  },
  'POST /appointments': (call, { query, body }) =>
    presentAppointment(call, bookAppointment(call, body(), modeOf(query))),
  'GET /appointments/:id': (call, { id, query }) => {
    rejectUnknown(query, ['pastFormAnswers']);
    return presentAppointment(call, appointmentOf(call, id));
  },
  'PUT /appointments/:id': (call, { id, query, body }) =>
    presentAppointment(call, updateAppointment(call, appointmentOf(call, id), body(), modeOf(query).admin)),
  'PUT /appointments/:id/cancel': (call, { id, query, body }) =>
    presentAppointment(call, cancelAppointment(call, appointmentOf(call, id), body(), modeOf(query))),
  'PUT /appointments/:id/reschedule': (call, { id, query, body }) =>
    presentAppointment(call, rescheduleAppointment(call, appointmentOf(call, id), body(), modeOf(query))),
  // The emulated account never has payments.
  'GET /appointments/:id/payments': (call, { id }) => appointmentOf(call, id) && [],

  'GET /clients': ({ account }, { query }) => listClients(account, query),
  'POST /clients': ({ account }, { body }) => createClient(account, body()),
  'PUT /clients': ({ account }, { query, body }) => updateClient(account, query, body()),
  'DELETE /clients': ({ account }, { query }) => deleteClient(account, query),

  'GET /blocks': (call, { query }) => listBlocks(call, query).map((block) => presentBlock(call, block)),
  'POST /blocks': (call, { body }) => presentBlock(call, createBlock(call, body())),
  'GET /blocks/:id': (call, { id }) => presentBlock(call, findBlock(call, id)),
  'DELETE /blocks/:id': (call, { id }) => deleteBlock(call, id),

  'GET /certificates': (call, { query }) => {
    rejectUnknown(query, ['productID', 'orderID', 'email']);
    return listCertificates(call, query).map((each) => presentCertificate(call, each));
  },
  'POST /certificates': (call, { body }) => presentCertificate(call, createCertificate(call, body())),
  'GET /certificates/check': (call, { query }) => presentCertificate(call, checkCertificate(call, query)),
  'DELETE /certificates/:id': (call, { id }) => deleteCertificate(call, id),

  'GET /orders': (call, { query }) => listOrders(call, query).map((order) => presentOrder(call, order)),
  'GET /orders/:id': (call, { id }) => presentOrder(call, findOrder(call, id)),
  'GET /products': (call, { query }) => listProducts(call, query),

  'GET /webhooks': withoutQuery(({ account }) => account.dynamicWebhooks.map(presentWebhook)),
  'POST /webhooks': (call, { body }) => createWebhook(call, body()),
  'DELETE /webhooks/:id': (call, { id }) => deleteWebhook(call, id),
};

const BASE = '/api/v1';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** All emulated paths; every other path returns Acuity's 404 or 405. */
export const ROUTES: Route<AcuityState>[] = [
  // The only path without authentication: the addresses that webhooks come from.
  { method: 'GET', path: `${BASE}/meta`, handle: () => ({ status: 200, body: { hooks: ['127.0.0.1/32'] } }) },
  ...Object.entries(VERBS).map(([key, verb]) => toRoute(key, verb)),
  ...METHODS.map((method) => ({ method, path: `${BASE}/*`, handle: rejectPath })),
];

function toRoute(key: string, verb: Verb): Route<AcuityState> {
  const [method, path] = key.split(' ') as [Route<AcuityState>['method'], string];
  return {
    method,
    path: `${BASE}${path}`,
    handle(request, world) {
      const account = authenticate(request, world.state);
      if (!hasApi(account)) throw acuityError('forbidden');
      const call = { account, now: world.clock.now(), world };
      const { params, query, body } = request;
      const result = verb(call, { id: params.id, query, body: () => jsonObject(request), rawBody: body });
      return result === undefined ? { status: 204 } : { status: 200, body: result };
    },
  };
}

function rejectPath({ path }: { path: string }): never {
  const isKnownPath = Object.keys(VERBS).some((key) => matchPath(`${BASE}${key.split(' ')[1]}`, path));
  throw isKnownPath ? acuityError('method_not_allowed') : acuityError('not_found');
}

/**
 * Authenticates by HTTP Basic with the account's numeric user id and its API key.
 * @throws ErrorReply `unauthorized`
 */
function authenticate({ headers }: EmulatorRequest, state: AcuityState): Account {
  const [scheme, token = ''] = (headers.authorization ?? '').split(' ');
  const [userId = '', ...rest] = Buffer.from(token, 'base64').toString('utf8').split(':');
  const account = Object.hasOwn(state.accounts, userId) ? state.accounts[userId] : undefined;
  if (scheme?.toLowerCase() !== 'basic' || !account || !isEqual(rest.join(':'), account.apiKey)) {
    throw acuityError('unauthorized');
  }
  return account;
}

function isEqual(received: string, expected: string): boolean {
  const [a, b] = [Buffer.from(received), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
