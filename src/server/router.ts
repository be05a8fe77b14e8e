import { careRouter } from './care/router.ts';
import { clinicRouter } from './clinic/router.ts';
import { createCallerFactory, mergeRouters, router } from './core/trpc.ts';
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
import { patientsRouter } from './patients/router.ts';
import { plansRouter } from './plans/router.ts';
import { appointmentsRouter, receiveAcuityWebhook, schedulingRouter } from './scheduling/router.ts';
import { checkoutRouter, receiveStripeWebhook, subscriptionsRouter } from './subscriptions/router.ts';
import { systemRouter } from './system/router.ts';
import { accountRouter, staffLinksRouter, teamRouter } from './team/router.ts';
import { visitsRouter } from './visits/router.ts';
import { webhooksRouter } from './webhooks/router.ts';

/** The table of contents: every procedure of the system. */
export const appRouter = router({
  patients: mergeRouters(patientsRouter, careRouter),
  patientSignIn: patientSignInRouter,
  addressChanges: addressChangesRouter,
  invitations: invitationsRouter,
  plans: plansRouter,
  subscriptions: subscriptionsRouter,
  checkout: checkoutRouter,
  scheduling: schedulingRouter,
  appointments: appointmentsRouter,
  visits: visitsRouter,
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
  system: systemRouter,
});

export type AppRouter = typeof appRouter;
export const createCaller = createCallerFactory(appRouter);

/** What the webhook doors hand their raw requests to. */
export const webhookReceivers = { stripe: receiveStripeWebhook, acuity: receiveAcuityWebhook };
