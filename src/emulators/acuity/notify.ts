import type { Call } from './call.ts';
import type { Appointment, AppointmentEvent } from './state.ts';
import { sendWebhook } from './webhook-traffic.ts';

const KEPT_EMAILS = 500;

/**
 * Tells every webhook of the account. `changed` fires beside each narrower event, so who listens to both hears twice.
 * Hooks set by hand carry the short action, hooks made by `POST /webhooks` the long one (`appointment.scheduled`):
 * documentation and observed traffic differ, so both forms must be understood.
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
 * Notes the mail that the service would send to the client by itself, with the type and time in it. A product that
 * keeps health data out of such mails passes `noEmail=true`, and can be checked here.
 */
export function noteEmail({ account, now }: Call, kind: AppointmentEvent, { id, email }: Appointment): void {
  if (email === '') return;
  account.emails.push({ kind, to: email, appointmentID: id, at: now });
  account.emails.splice(0, account.emails.length - KEPT_EMAILS);
}
