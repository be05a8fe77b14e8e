import { NEW_WEBHOOK } from '../webhook-target.ts';
import { UNKNOWN } from './rows.ts';
import { object, open, type Sample, type Target } from './sample.ts';

const webhook = (rest: (target: Target) => string, body?: unknown) =>
  object((target) => `/webhook_endpoints/${target.webhookId}${rest(target)}`, body);

/** Requests for events, webhooks and provider accounts. */
export const clinicSamples: Record<string, Sample> = {
  'GET /events': open('/events'),
  'GET /events/{id}': { kind: 'object', request: ({ eventId }) => ({ path: `/events/${eventId}` }) },
  'GET /webhook_endpoints': open('/webhook_endpoints'),
  'POST /webhook_endpoints': { kind: 'open', request: () => ({ path: '/webhook_endpoints', body: NEW_WEBHOOK }) },
  'GET /webhook_endpoints/{id}': webhook(() => ''),
  'PATCH /webhook_endpoints/{id}': webhook(() => '', { description: 'Ours' }),
  'DELETE /webhook_endpoints/{id}': { ...webhook(() => ''), consumes: true },
  'GET /webhook_endpoints/{id}/deliveries': webhook(() => '/deliveries'),
  'POST /webhook_endpoints/{id}/deliveries/{delivery_id}/replay': webhook(
    ({ deliveryId }) => `/deliveries/${deliveryId}/replay`,
    {},
  ),
  'POST /webhook_endpoints/{id}/replay': webhook(() => '/replay', { after_sequence: 0 }),
  'POST /webhook_endpoints/{id}/test': webhook(() => '/test', {}),
  'POST /webhook_endpoints/{id}/roll_secret': webhook(() => '/roll_secret', {}),
  'GET /integrations': open('/integrations'),
  'GET /integrations/stripe': open('/integrations/stripe'),
  'POST /integrations/stripe': { kind: 'open', request: () => ({ path: '/integrations/stripe', body: {} }) },
  'PATCH /integrations/stripe': {
    kind: 'open',
    request: () => ({ path: '/integrations/stripe', body: { patients_may_cancel: true } }),
  },
  // The connected account is kept, because other requests need it.
  'DELETE /integrations/stripe': { ...open('/integrations/stripe?account_id=acct_another'), meets: 'conflict' },
  'POST /integrations/stripe/onboarding': {
    kind: 'open',
    request: () => ({ path: '/integrations/stripe/onboarding', body: {} }),
  },
  'GET /integrations/stripe/unknown_subscriptions': open('/integrations/stripe/unknown_subscriptions'),
  // The target's patient already has a customer.
  'POST /integrations/stripe/unknown_subscriptions/{id}/attach': {
    kind: 'create',
    request: ({ patientId }) => ({
      path: `/integrations/stripe/unknown_subscriptions/${UNKNOWN}/attach`,
      body: { patient_id: patientId },
    }),
    meets: 'conflict',
  },
  'POST /integrations/stripe/unknown_subscriptions/{id}/leave_alone': {
    kind: 'open',
    request: () => ({ path: `/integrations/stripe/unknown_subscriptions/${UNKNOWN}/leave_alone`, body: {} }),
  },
  'GET /integrations/acuity': open('/integrations/acuity'),
  'POST /integrations/acuity': {
    kind: 'open',
    request: () => ({ path: '/integrations/acuity', body: { user_id: 'unknown', api_key: 'none' } }),
    meets: 'invalid_parameter',
  },
  'PATCH /integrations/acuity': {
    kind: 'open',
    request: () => ({ path: '/integrations/acuity', body: { user_id: 'unknown' } }),
    meets: 'invalid_parameter',
  },
  // The connected account is kept, because other requests need it.
  'DELETE /integrations/acuity': { ...open('/integrations/acuity?account_id=1'), meets: 'conflict' },
};
