import {
  planAllAppointments,
  planAppointmentMessages,
  queueDailyLists,
  queueDueMessages,
  sendDailyLists,
  sendDueMessages,
} from '#server/appointment-messages/index.ts';
import { checkAudit, checkAudits } from '#server/audit/index.ts';
import { endCare, moveLateRows } from '#server/care/index.ts';
import { distributeSignal, handleDeliveryError } from '#server/consent/index.ts';
import type { Services } from '#server/core/context.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { updateCustomer } from '#server/customers/index.ts';
import { appLink, notifyStaffOfLockout, rotateSigningKeys } from '#server/identity/index.ts';
import { runAcuityCheck } from '#server/integrations/index.ts';
import { deliverMessage } from '#server/messages/index.ts';
import { reconcileAcuity, reconcileAll, reconcileStripe, refreshSubscription } from '#server/reconcile/index.ts';
import {
  processAcuityEvent,
  refreshAppointment,
  resolveAppointment,
  sendNoShow,
  updateClients,
} from '#server/scheduling/index.ts';
import {
  applyStripeEvents,
  processStripeEvent,
  resolveSubscription,
  sendCheckoutMail,
} from '#server/subscriptions/index.ts';
import { sendStaffReset } from '#server/team/index.ts';
import { closeCall } from '#server/visits/index.ts';
import { maintainLogs } from './maintain-logs.ts';
import { purgeExpired } from './purge-expired.ts';

/** Processes an event that the webhook handler stored. */
export function processInboundEvent(services: Services, payload: Jobs['process_inbound_event']): Promise<void> {
  return payload.provider === 'acuity' ? processAcuityEvent(services, payload) : processStripeEvent(services, payload);
}

/** Every job by name. The payload names the tenant, if there is one; a job may run more than once. */
export const registry: { [Name in keyof Jobs]: (services: Services, payload: Jobs[Name]) => Promise<void> } = {
  resolve_appointment: resolveAppointment,
  send_no_show: sendNoShow,
  process_inbound_event: processInboundEvent,
  apply_stripe_events: applyStripeEvents,
  refresh_subscription: refreshSubscription,
  reconcile_stripe: reconcileStripe,
  reconcile_acuity: reconcileAcuity,
  refresh_appointment: refreshAppointment,
  check_acuity: runAcuityCheck,
  reconcile_all: reconcileAll,
  update_customer: updateCustomer,
  resolve_subscription: resolveSubscription,
  send_message: (services, job) => deliverMessage(services, job, appLink, handleDeliveryError),
  send_staff_reset: sendStaffReset,
  tell_staff_of_closing: notifyStaffOfLockout,
  tell_of_signal: distributeSignal,
  send_mail: sendCheckoutMail,
  plan_visit_messages: planAppointmentMessages,
  plan_all_visit_messages: planAllAppointments,
  send_visit_messages: sendDueMessages,
  send_due_messages: queueDueMessages,
  close_call: closeCall,
  send_daily_lists: sendDailyLists,
  send_due_lists: queueDailyLists,
  end_care: endCare,
  move_late_rows: moveLateRows,
  update_clients: updateClients,
  forget_expired: purgeExpired,
  keep_logs: maintainLogs,
  check_audit: checkAudit,
  check_audits: checkAudits,
  rotate_signing_keys: async (services) => void (await rotateSigningKeys(services)),
};

/** Jobs on a schedule (UTC, five-field crontab), run once across all processes. */
export const schedule: { task: keyof Jobs; match: string }[] = [
  { task: 'reconcile_all', match: '* * * * *' },
  { task: 'send_due_messages', match: '* * * * *' },
  { task: 'send_due_lists', match: '* * * * *' },
  { task: 'forget_expired', match: '17 * * * *' },
  { task: 'keep_logs', match: '47 2 * * *' },
  { task: 'check_audits', match: '27 4 * * *' },
  { task: 'rotate_signing_keys', match: '37 3 1 */3 *' },
];
