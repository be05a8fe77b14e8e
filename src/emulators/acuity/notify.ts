import { randomAt } from '../core/webhooks.ts';
import type { Call } from './call.ts';
import type { Appointment, AppointmentEvent, LostWebhook, WebhookTraffic } from './state.ts';

const MAX_EMAILS = 500;

/**
 * Sends the event to every webhook of the account. `changed` fires in addition to each specific event, so a receiver
 * of both gets two deliveries. Static webhooks carry the short action, webhooks made by `POST /webhooks` the long one
 * (`appointment.scheduled`): documentation and observed traffic differ, so clients must accept both.
 */
export function notify(call: Call, event: AppointmentEvent, appointment: Appointment): void {
  const { account } = call;
  const events = event === 'changed' ? [event] : ([event, 'changed'] as const);
  const send = (url: string, action: string) =>
    sendWebhook(call, {
      url,
      action,
      body: new URLSearchParams({
        action,
        id: String(appointment.id),
        calendarID: String(appointment.calendarId),
        appointmentTypeID: String(appointment.typeId),
      }).toString(),
      at: call.now,
    });
  for (const name of events) {
    for (const hook of account.staticWebhooks) if (!hook.event || hook.event === name) send(hook.url, name);
    for (const hook of account.dynamicWebhooks) {
      if (hook.event === `appointment.${name}`) send(hook.target, hook.event);
    }
  }
}

/**
 * Records the email that Acuity would send to the client, with the appointment's type and time. A
 * product that keeps health data out of such emails passes `noEmail=true`; tests check the record.
 */
export function recordEmail({ account, now }: Call, kind: AppointmentEvent, { id, email }: Appointment): void {
  if (email === '') return;
  account.emails.push({ kind, to: email, appointmentID: id, at: now });
  account.emails.splice(0, account.emails.length - MAX_EMAILS);
}

const MAX_LOST = 500;

/** Sends a webhook after the configured delay, or drops it: then it is recorded and not retried. */
export function sendWebhook(call: Pick<Call, 'account' | 'world'>, webhook: LostWebhook): void {
  const { traffic } = call.account;
  if (!isLost(traffic)) {
    put(call, webhook, traffic.delayMs);
    return;
  }
  traffic.lost.push(webhook);
  traffic.lost.splice(0, traffic.lost.length - MAX_LOST);
}

/**
 * Sends the dropped webhooks, oldest first, and stops dropping.
 * @returns the number of webhooks sent
 */
export function sendLost(call: Pick<Call, 'account' | 'world'>): number {
  const { traffic } = call.account;
  traffic.drop = null;
  const dropped = traffic.lost.splice(0);
  for (const webhook of dropped) put(call, webhook, 0);
  return dropped.length;
}

function put(
  { account, world }: Pick<Call, 'account' | 'world'>,
  { url, action, body }: LostWebhook,
  delayMs: number,
): void {
  const contentType = 'application/x-www-form-urlencoded';
  world.webhooks.send({ url, event: action, contentType, keyId: account.userId, body }, delayMs);
}

function isLost(traffic: WebhookTraffic): boolean {
  const { drop } = traffic;
  if (!drop) return false;
  if ('all' in drop) return true;
  if ('share' in drop) return randomAt(drop.seed, drop.drawn++) < drop.share;
  drop.next--;
  if (drop.next === 0) traffic.drop = null;
  return true;
}
