export { findRecipient } from './find-recipient.ts';
export { planAllAppointments, planAppointmentMessages } from './plan-appointment-messages.ts';
export { queueDailyLists, sendDailyLists } from './send-daily-lists.ts';
export { queueDueMessages, sendDueMessages } from './send-due-messages.ts';
