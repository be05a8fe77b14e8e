import {
  appointmentMessagesRouter,
  calendarFeedRouter,
  dailyListRouter,
  messageSettingsRouter,
  receiveTwilioWebhook,
} from './appointment-messages/router.ts';
import { auditRouter } from './audit/router.ts';
import { appointmentFlagsRouter, careRouter } from './care/router.ts';
import { timelineRouter } from './chart/router.ts';
import { clinicRouter } from './clinic/router.ts';
import { mailDomainRouter, messageChoicesRouter, receiveMailWebhook } from './consent/router.ts';
import { createCallerFactory, mergeRouters, type Procedure, router } from './core/trpc.ts';
import type { Reads } from './core/write-audit-entry.ts';
import { cardsRouter } from './customers/router.ts';
import { eventsRouter } from './events/router.ts';
import {
  addressChangesRouter,
  applicationsRouter,
  invitationsRouter,
  patientSignInRouter,
  sessionRouter,
} from './identity/router.ts';
import { integrationsRouter } from './integrations/router.ts';
import { inboxRouter } from './messages/router.ts';
import { notesRouter } from './notes/router.ts';
import { patientsRouter } from './patients/router.ts';
import { plansRouter } from './plans/router.ts';
import {
  appointmentsRouter,
  practitionersRouter,
  receiveAcuityWebhook,
  schedulingRouter,
} from './scheduling/router.ts';
import {
  checkoutRouter,
  manageRouter,
  paymentsRouter,
  receiveStripeWebhook,
  subscriptionsRouter,
} from './subscriptions/router.ts';
import { systemRouter } from './system/router.ts';
import { tasksRouter } from './tasks/router.ts';
import { accountRouter, staffLinksRouter, teamRouter } from './team/router.ts';
import { visitsRouter } from './visits/router.ts';
import { webhooksRouter } from './webhooks/router.ts';

/** The root router: every procedure of the system. */
export const appRouter = router({
  patients: mergeRouters(patientsRouter, careRouter),
  patientSignIn: patientSignInRouter,
  addressChanges: addressChangesRouter,
  invitations: invitationsRouter,
  plans: plansRouter,
  subscriptions: subscriptionsRouter,
  payments: paymentsRouter,
  checkout: checkoutRouter,
  manage: manageRouter,
  cards: cardsRouter,
  scheduling: schedulingRouter,
  appointments: mergeRouters(appointmentsRouter, appointmentFlagsRouter),
  practitioners: practitionersRouter,
  visits: visitsRouter,
  appointmentMessages: appointmentMessagesRouter,
  messageSettings: messageSettingsRouter,
  calendarFeed: calendarFeedRouter,
  dailyList: dailyListRouter,
  tasks: tasksRouter,
  notes: notesRouter,
  events: eventsRouter,
  webhooks: webhooksRouter,
  integrations: integrationsRouter,
  applications: applicationsRouter,
  session: sessionRouter,
  account: accountRouter,
  team: teamRouter,
  clinic: clinicRouter,
  staffLinks: staffLinksRouter,
  inbox: inboxRouter,
  messageChoices: messageChoicesRouter,
  mailDomain: mailDomainRouter,
  audit: auditRouter,
  timeline: timelineRouter,
  system: systemRouter,
});

export type AppRouter = typeof appRouter;
export const createCaller = createCallerFactory(appRouter);

/** Every procedure by its full name, e.g. `patients.list`. */
export const procedures = appRouter._def.procedures as unknown as Record<string, Procedure | undefined>;
/** Returns the data that a procedure declares to read. */
export const readsOf = (name: string): Reads | undefined => procedures[name]?._def.meta?.reads;

/** The receivers of raw webhook requests. */
export const webhookReceivers = {
  stripe: receiveStripeWebhook,
  acuity: receiveAcuityWebhook,
  twilio: receiveTwilioWebhook,
  mail: receiveMailWebhook,
};
