import { PARTS } from './conventions.ts';
import { CARD_ROUTES } from './routes/cards.ts';
import { EVENT_ROUTES } from './routes/events.ts';
import { INTEGRATION_ROUTES } from './routes/integrations.ts';
import { MESSAGE_CHOICE_ROUTES } from './routes/message-choices.ts';
import { PATIENT_ROUTES } from './routes/patients.ts';
import type { Route } from './routes/route.ts';
import { SCHEDULING_ROUTES } from './routes/scheduling.ts';
import { SUBSCRIPTION_ROUTES } from './routes/subscriptions.ts';
import { TASK_ROUTES } from './routes/tasks.ts';
import { VISIT_MESSAGE_ROUTES } from './routes/visit-messages.ts';
import { WEBHOOK_ROUTES } from './routes/webhooks.ts';

export type { Method, Route } from './routes/route.ts';

/** Lists without cursors accept numbered pages as well. */
const withParts = (route: Route): Route =>
  route.list === 'array' || route.list === 'times' ? { ...route, input: route.input.extend(PARTS) } : route;

/** Every public endpoint. */
export const ROUTES: Route[] = [
  ...PATIENT_ROUTES,
  ...MESSAGE_CHOICE_ROUTES,
  ...SUBSCRIPTION_ROUTES,
  ...CARD_ROUTES,
  ...SCHEDULING_ROUTES,
  ...VISIT_MESSAGE_ROUTES,
  ...TASK_ROUTES,
  ...EVENT_ROUTES,
  ...WEBHOOK_ROUTES,
  ...INTEGRATION_ROUTES,
].map(withParts);
