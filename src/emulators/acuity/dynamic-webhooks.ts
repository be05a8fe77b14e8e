import { type Call, newId } from './call.ts';
import { acuityError } from './errors.ts';
import { rejectUnknown, textOf, type Values } from './params.ts';
import { APPOINTMENT_EVENTS } from './state.ts';

const MAX_WEBHOOKS = 25;
const EVENTS = [...APPOINTMENT_EVENTS.map((event) => `appointment.${event}`), 'order.completed'];

/** Subscribes one target to one event. Acuity does not document this endpoint's error codes. */
export function createWebhook(call: Call, values: Values) {
  rejectUnknown(values, ['event', 'target']);
  const { dynamicWebhooks } = call.account;
  const event = textOf(values, 'event');
  const target = textOf(values, 'target');
  if (!EVENTS.includes(event)) throw acuityError('bad_request', `The event "${event}" does not exist.`);
  if (!isTarget(target)) throw acuityError('bad_request', `The target "${target}" must be a URL on port 80 or 443.`);
  if (dynamicWebhooks.length >= MAX_WEBHOOKS) throw acuityError('webhook_limit');
  const hook = { id: newId(call), event, target };
  dynamicWebhooks.push(hook);
  return presentWebhook(hook);
}

export function deleteWebhook({ account }: Call, id: string | undefined): void {
  const index = account.dynamicWebhooks.findIndex((hook) => String(hook.id) === id);
  if (index < 0) throw acuityError('not_found');
  account.dynamicWebhooks.splice(index, 1);
}

export const presentWebhook = (hook: Call['account']['dynamicWebhooks'][number]) => ({ status: 'active', ...hook });

/** Acuity calls only ports 80 and 443. Loopback targets may use any port, because they stand in for public ones. */
function isTarget(target: string): boolean {
  if (!URL.canParse(target)) return false;
  const { protocol, hostname, port } = new URL(target);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  const loopback = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  return loopback || port === '' || port === '80' || port === '443';
}
