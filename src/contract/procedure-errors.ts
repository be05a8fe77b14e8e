import type { ErrorCode } from './errors.ts';
import type { Route } from './routes.ts';

const ANYWHERE: ErrorCode[] = [
  'malformed_request',
  'missing_token',
  'invalid_token',
  'expired_token',
  'wrong_environment',
  'forbidden',
  'invalid_parameter',
  'missing_parameter',
  'unknown_parameter',
  'rate_limited',
  'service_busy',
  'internal_error',
];
const WITH_BODY: ErrorCode[] = ['malformed_json', 'body_too_large', 'unsupported_media_type'];
const WITH_KEY: ErrorCode[] = ['idempotency_key_in_use', 'idempotency_key_reused'];
const BEHIND_A_PROVIDER: ErrorCode[] = [
  'integration_not_connected',
  'integration_misconfigured',
  'provider_error',
  'provider_unavailable',
  'provider_timeout',
];

/** Tags of endpoints that do not call a provider. */
const OF_OUR_OWN = new Set(['Patients', 'Tasks', 'Events', 'Webhooks']);

/** Codes that only single procedures return. */
export const CODES_OF_PROCEDURES: Record<string, ErrorCode[]> = {
  'patients.create': ['email_taken', 'external_id_taken'],
  'messageChoices.note': ['conflict', 'patient_archived'],
  'invitations.create': ['conflict', 'email_taken', 'external_id_taken', 'phone_number_not_supported'],
  'invitations.invite': ['conflict', 'patient_archived', 'phone_number_not_supported'],
  'patients.update': ['conflict', 'email_taken', 'external_id_taken', 'patient_archived'],
  'patients.archive': ['conflict'],
  'patients.unarchive': ['conflict'],
  'plans.promotionCode': ['price_not_offered'],
  'subscriptions.create': ['conflict', 'patient_archived', 'price_not_offered', 'promotion_code_invalid'],
  'subscriptions.createCheckoutSession': ['conflict', 'patient_archived', 'price_not_offered'],
  'subscriptions.update': [
    'organisation_only',
    'conflict',
    'already_canceled',
    'patient_archived',
    'price_not_offered',
    'promotion_code_invalid',
  ],
  'subscriptions.preview': ['conflict', 'already_canceled', 'price_not_offered'],
  'subscriptions.cancel': ['organisation_only', 'conflict', 'already_canceled'],
  'subscriptions.createCheckoutLink': ['conflict', 'patient_archived'],
  'subscriptions.createManageLink': ['conflict', 'patient_archived'],
  'subscriptions.attach': ['conflict', 'patient_archived'],
  'integrations.disconnectStripe': ['conflict'],
  'integrations.disconnectAcuity': ['conflict'],
  'payments.refund': ['conflict'],
  'cards.startSetup': ['patient_archived'],
  'cards.setDefault': ['conflict', 'patient_archived'],
  'cards.remove': ['conflict'],
  'events.list': ['events_expired', 'service_busy'],
  'webhooks.create': ['conflict'],
  'webhooks.replayOne': ['conflict', 'events_expired'],
  'webhooks.test': ['conflict'],
  'webhooks.replay': ['events_expired'],
  'scheduling.listAvailability': ['range_too_long'],
  'appointments.book': ['conflict', 'patient_archived', 'slot_taken', 'slot_not_offered'],
  'appointments.cancel': ['conflict', 'too_late'],
  'tasks.create': ['patient_archived'],
  'appointments.attachUnmatched': ['conflict', 'patient_archived'],
  'appointments.createPatientOf': ['conflict', 'email_taken'],
  'appointmentMessages.sendAgain': ['conflict'],
  'appointmentMessages.skip': ['conflict'],
  'visits.signLink': ['already_canceled'],
  'appointments.checkIn': ['too_early', 'too_late', 'already_canceled', 'conflict'],
  'appointments.complete': ['too_early', 'already_canceled', 'conflict'],
  'appointments.markNoShow': ['too_early', 'already_canceled', 'conflict'],
  'appointments.unmark': ['too_late', 'conflict'],
  'appointments.reschedule': [
    'conflict',
    'patient_archived',
    'slot_taken',
    'slot_not_offered',
    'not_reschedulable',
    'too_late',
  ],
};

/** Returns every error code that an endpoint may return. */
export function errorCodesOf(route: Route): ErrorCode[] {
  const namesRecord = route.path.includes('{') || ('patient_id' in route.input.shape && route.list !== 'feed');
  return [
    ...ANYWHERE,
    ...(namesRecord ? (['not_found'] as const) : []),
    ...(route.method === 'GET' ? [] : WITH_BODY),
    ...(route.method === 'POST' ? WITH_KEY : []),
    ...(OF_OUR_OWN.has(route.tag) ? [] : BEHIND_A_PROVIDER),
    ...(CODES_OF_PROCEDURES[route.procedure] ?? []),
  ];
}
