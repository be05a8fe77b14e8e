import { timingSafeEqual } from 'node:crypto';
import { type EmulatorRequest, matchPath, type Route } from '../core/route.ts';
import { createBlock, deleteBlock, findBlock, listBlocks, presentBlock } from './blocks.ts';
import { bookAppointment, type Mode } from './book-appointment.ts';
import { appointmentOf, type Call } from './call.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import {
  checkCertificate,
  createCertificate,
  deleteCertificate,
  listCertificates,
  presentCertificate,
} from './certificates.ts';
import { checkTime } from './check-times.ts';
import { listClasses } from './classes.ts';
import { createClient, deleteClient, listClients, updateClient } from './clients.ts';
import { createWebhook, deleteWebhook, presentWebhook } from './dynamic-webhooks.ts';
import { acuityError } from './errors.ts';
import { listAppointments } from './list-appointments.ts';
import { listDates, listTimes } from './list-availability.ts';
import { findOrder, listOrders, listProducts, presentOrder } from './orders.ts';
import { flagOf, jsonObject, onlyKnown, type Values } from './params.ts';
import { presentAppointment } from './present-appointment.ts';
import { presentCalendars, presentMe, presentTypes } from './present-settings.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';
import { type Account, type AcuityState, hasApi } from './state.ts';
import { updateAppointment } from './update-appointment.ts';

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

const plain =
  (verb: (call: Call) => unknown): Verb =>
  (call, { query }) => {
    onlyKnown(query, []);
    return verb(call);
  };

function modeOf(query: Values): Mode {
  onlyKnown(query, ['admin', 'noEmail']);
  return { admin: flagOf(query, 'admin'), noEmail: flagOf(query, 'noEmail') };
}

const VERBS: Record<string, Verb> = {
  'GET /me': plain(presentMe),
  'GET /appointment-types': (call, { query }) => {
    onlyKnown(query, ['includeDeleted']);
    return presentTypes(call, flagOf(query, 'includeDeleted'));
  },
  'GET /calendars': plain(presentCalendars),
  'GET /forms': plain(({ account }) => account.forms),
  'GET /labels': plain(({ account }) => account.labels),
  'GET /appointment-addons': plain(({ account }) => account.addons),

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
    onlyKnown(query, ['pastFormAnswers']);
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
    onlyKnown(query, ['productID', 'orderID', 'email']);
    return listCertificates(call, query).map((each) => presentCertificate(call, each));
  },
  'POST /certificates': (call, { body }) => presentCertificate(call, createCertificate(call, body())),
  'GET /certificates/check': (call, { query }) => presentCertificate(call, checkCertificate(call, query)),
  'DELETE /certificates/:id': (call, { id }) => deleteCertificate(call, id),

  'GET /orders': (call, { query }) => listOrders(call, query).map((order) => presentOrder(call, order)),
  'GET /orders/:id': (call, { id }) => presentOrder(call, findOrder(call, id)),
  'GET /products': (call, { query }) => listProducts(call, query),

  'GET /webhooks': plain(({ account }) => account.dynamicWebhooks.map(presentWebhook)),
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
  const known = Object.keys(VERBS).some((key) => matchPath(`${BASE}${key.split(' ')[1]}`, path));
  throw known ? acuityError('method_not_allowed') : acuityError('not_found');
}

/**
 * Authenticates by HTTP Basic with the account's numeric user id and its API key.
 * @throws ErrorReply `unauthorized`
 */
function authenticate({ headers }: EmulatorRequest, state: AcuityState): Account {
  const [scheme, token = ''] = (headers.authorization ?? '').split(' ');
  const [userId = '', ...rest] = Buffer.from(token, 'base64').toString('utf8').split(':');
  const account = Object.hasOwn(state.accounts, userId) ? state.accounts[userId] : undefined;
  if (scheme?.toLowerCase() !== 'basic' || !account || !same(rest.join(':'), account.apiKey)) {
    throw acuityError('unauthorized');
  }
  return account;
}

function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
