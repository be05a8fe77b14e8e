import { randomBytes } from 'node:crypto';
import { createBlock, deleteBlock } from './blocks.ts';
import { bookAppointment, type Mode } from './book-appointment.ts';
import { applyBreak, repairBreak } from './breaks.ts';
import { appointmentOf, type Call } from './call.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import {
  addCalendar,
  addForm,
  addType,
  changeCalendar,
  changeForm,
  changeHours,
  changeSettings,
  changeType,
  removeCalendar,
  removeForm,
  removeType,
} from './console-edits.ts';
import { fieldError } from './console-errors.ts';
import type { Part } from './console-frame.ts';
import { deleteWebhook } from './dynamic-webhooks.ts';
import { acuityError } from './errors.ts';
import { dateOf, textOf, type Values } from './params.ts';
import { rescheduleAppointment } from './reschedule-appointment.ts';
import type { Block, WebhookTraffic } from './state.ts';
import { sendLost } from './webhook-traffic.ts';

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

const LOSSES: Record<string, WebhookTraffic['drop']> = {
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
  appointments(call, given) {
    const { mode, values } = modeOf(call, given);
    bookAppointment(call, values, mode);
    return 'bookings';
  },
  'appointments/:id/cancel'(call, given, { id }) {
    const { mode, values } = modeOf(call, given);
    cancelAppointment(call, appointmentOf(call, id), values, mode);
    return 'bookings';
  },
  'appointments/:id/move'(call, given, { id }) {
    const { mode, values } = modeOf(call, given);
    rescheduleAppointment(call, appointmentOf(call, id), values, mode);
    return 'bookings';
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
    if (start >= end) throw fieldError('end', 'It must come after the beginning.');
    const again: Block['recurring'] = recurring === 'daily' || recurring === 'weekly' ? recurring : null;
    createBlock(call, values, { recurring: again, until: again ? dateOf({ until }, 'until') : null });
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
    const drop = LOSSES[textOf(values, 'drop')];
    if (drop === undefined) throw new TypeError('There is no such loss');
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
