import type { Call } from './call.ts';
import type { Appointment, AppointmentEvent } from './state.ts';
import { sendWebhook } from './webhook-traffic.ts';

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
