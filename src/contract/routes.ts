import { EVENT_ROUTES } from './routes/events.ts';
import { PATIENT_ROUTES } from './routes/patients.ts';
import type { Route } from './routes/route.ts';
import { SCHEDULING_ROUTES } from './routes/scheduling.ts';
import { SUBSCRIPTION_ROUTES } from './routes/subscriptions.ts';
import { WEBHOOK_ROUTES } from './routes/webhooks.ts';

export type { Method, Route } from './routes/route.ts';

/** Every public endpoint. */
export const ROUTES: Route[] = [
  ...PATIENT_ROUTES,
  ...SUBSCRIPTION_ROUTES,
  ...SCHEDULING_ROUTES,
  ...EVENT_ROUTES,
  ...WEBHOOK_ROUTES,
];
