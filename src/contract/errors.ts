import { SCHEDULING_PROVIDER } from './scheduling-provider.ts';

/** Maximum number of errors in one response. */
export const MAX_ERRORS = 20;

/**
 * Every public error code with its HTTP status, title and meaning. OpenAPI and the handlers read it;
 * `error-messages.ts` has the messages for users.
 * `passes`: may be resolved shortly, so the same request is worth another attempt.
 */
export const ERRORS = {
  malformed_json: { status: 400, title: 'Malformed JSON', meaning: 'The body is not JSON.' },
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    meaning:
      'The request cannot be read: a GET with a body, text that is not UTF-8, a body that is not an object, or a body of more than 10,000 values.',
  },
  missing_token: { status: 401, title: 'Missing token', meaning: 'Send `Authorization: Bearer <token>`.' },
  invalid_token: {
    status: 401,
    title: 'Invalid token',
    meaning: 'The token is unknown or revoked. Get a new one.',
  },
  expired_token: { status: 401, title: 'Expired token', meaning: 'Get a new one.' },
  wrong_environment: {
    status: 401,
    title: 'Wrong environment',
    meaning: 'The token belongs to another environment.',
  },
  invalid_client: {
    status: 401,
    title: 'Invalid client',
    meaning: 'The app is unknown, or it has to authenticate in another way.',
  },
  invalid_credentials: {
    status: 401,
    title: 'Invalid credentials',
    meaning: 'Wrong email or password; the response does not reveal which.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    meaning: 'Authenticated, but not authorised: a scope is missing, or the endpoint is not open to patients.',
  },
  organisation_only: {
    status: 403,
    title: 'Organisation only',
    meaning: 'The organisation does this itself and has not opened it to patients or to applications that act for one.',
  },
  account_not_confirmed: {
    status: 403,
    title: 'Account not confirmed',
    meaning: 'The patient has to confirm the email or phone first.',
  },
  proof_required: {
    status: 403,
    title: 'Proof required',
    meaning:
      'An access token alone does not allow a change of email address or phone number: the device has to be known.',
  },
  verification_required: {
    status: 403,
    title: 'Verification required',
    meaning:
      'The link alone is not sufficient, or the data sent with it does not match. `meta.asks` names what to send.',
  },
  sign_in_locked: {
    status: 403,
    title: 'Sign-in locked',
    meaning: 'A change of address was undone; the organisation helps the patient to sign in again.',
  },
  sign_in_closed: {
    status: 403,
    title: 'Sign-in closed',
    meaning:
      'After a hundred wrong passwords, only devices that have signed in before can sign in, until the patient uses the emailed link or resets the password.',
  },
  invitation_expired: {
    status: 403,
    title: 'Invitation expired',
    meaning: 'The temporary password has expired. Ask for a new invitation.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'The resource does not exist, or it is not yours.',
  },
  route_not_found: {
    status: 404,
    title: 'No such route',
    meaning: 'There is no endpoint at this address.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The `Allow` header lists the methods of this address.',
  },
  conflict: {
    status: 409,
    passes: true,
    title: 'Conflict',
    meaning:
      'The state of the resource, or another operation on it, prevents this; see the detail. For two overlapping appointments of one patient, `meta.appointment_id` names the other; for a plan that the patient already has, `meta.subscription_id` names the subscription.',
  },
  expired_handshake: {
    status: 409,
    title: 'Expired handshake',
    meaning: 'The handshake is unknown, used or expired: start the sign-in again.',
  },
  slot_taken: {
    status: 409,
    passes: true,
    title: 'Slot taken',
    meaning: 'Another appointment took the slot first. `meta.alternatives` lists up to three free slots near it.',
  },
  already_canceled: { status: 409, title: 'Already canceled', meaning: 'It has ended already.' },
  email_taken: { status: 409, title: 'Email taken', meaning: 'Another patient of yours has this email.' },
  external_id_taken: {
    status: 409,
    title: 'External id taken',
    meaning: 'Another patient of yours has this external id.',
  },
  idempotency_key_in_use: {
    status: 409,
    passes: true,
    title: 'Idempotency key in use',
    meaning:
      'The first request with this key is still running. Send it again after the number of seconds in `Retry-After`. A request whose process has died is taken over within ten seconds.',
  },
  events_expired: {
    status: 410,
    title: 'Events expired',
    meaning:
      'The events after that sequence are no longer stored: read the resources again, then continue with an `after_sequence` of one less than `meta.oldest_sequence`.',
  },
  body_too_large: { status: 413, title: 'Body too large', meaning: 'At most 1 MiB; 64 KiB at the auth server.' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'Send `Content-Type: application/json`, in UTF-8.',
  },
  invalid_parameter: {
    status: 422,
    title: 'Invalid parameter',
    meaning: 'The field named by `source` has an invalid value.',
  },
  missing_parameter: {
    status: 422,
    title: 'Missing parameter',
    meaning: 'The field named by `source` is required.',
  },
  unknown_parameter: {
    status: 422,
    title: 'Unknown parameter',
    meaning: 'The field named by `source` does not exist; it may be misspelled.',
  },
  range_too_long: { status: 422, title: 'Range too long', meaning: 'At most seven consecutive days.' },
  slot_not_offered: {
    status: 422,
    title: 'Slot not offered',
    meaning: 'Not one of the slots that `GET /availability` lists.',
  },
  not_reschedulable: {
    status: 422,
    title: 'Not reschedulable',
    meaning: 'This appointment cannot be rescheduled.',
  },
  too_late: { status: 422, title: 'Too late', meaning: 'The time for this change has passed.' },
  too_early: { status: 422, title: 'Too early', meaning: 'The time for this change has not come yet.' },
  price_not_offered: {
    status: 422,
    title: 'Price not offered',
    meaning: 'The price is inactive, one-time or not of this organisation.',
  },
  promotion_code_invalid: {
    status: 422,
    title: 'Promotion code invalid',
    meaning: 'The code is unknown or no longer valid.',
  },
  patient_archived: {
    status: 422,
    title: 'Patient archived',
    meaning:
      'Archived patients cannot be changed and nothing can be booked or started for them. The same applies while their care is ending.',
  },
  integration_not_connected: {
    status: 422,
    title: 'Integration not connected',
    meaning: `An admin has to connect Stripe or ${SCHEDULING_PROVIDER.name} first.`,
  },
  integration_misconfigured: {
    status: 422,
    title: 'Integration misconfigured',
    meaning: 'An admin has to correct something at the provider; the detail says what.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'The key was used with another request. Use a new one.',
  },
  invalid_code: {
    status: 422,
    title: 'Invalid code',
    meaning: 'The code is wrong, used or for another purpose.',
  },
  expired_code: { status: 422, title: 'Expired code', meaning: 'Ask for a new one.' },
  too_many_tries: {
    status: 422,
    title: 'Too many tries',
    meaning: 'The code is invalid after five wrong attempts. Ask for a new one.',
  },
  phone_number_not_supported: {
    status: 422,
    title: 'Phone number not supported',
    meaning: 'Only ordinary US phone numbers get text messages.',
  },
  proof_of_work_required: {
    status: 428,
    title: 'Proof of work required',
    meaning: 'Many codes were requested. Solve the challenge in `meta.proof_of_work` and repeat the request with it.',
  },
  rate_limited: {
    status: 429,
    passes: true,
    title: 'Rate limited',
    meaning: 'Wait for the number of seconds in `Retry-After`.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: 'An error on our side. Quote the `request_id`.',
  },
  provider_error: {
    status: 502,
    title: 'Provider error',
    meaning: 'The provider sent an unusable response; the detail says whether to try again.',
  },
  provider_unavailable: {
    status: 503,
    title: 'Provider unavailable',
    meaning: 'The provider cannot be reached or is busy; the detail says whether to try again.',
  },
  service_busy: {
    status: 503,
    title: 'Service busy',
    meaning:
      'Too many requests wait for the same resource, or the access cannot be written to the audit log and the data is therefore not returned. Try again after the number of seconds in `Retry-After`.',
  },
  provider_timeout: {
    status: 504,
    title: 'Provider timeout',
    meaning: 'The provider did not respond in time; the detail says whether to try again.',
  },
} as const satisfies Record<string, { status: number; title: string; meaning: string; passes?: true }>;

export type ErrorCode = keyof typeof ERRORS;

/** Location of the error: a JSON pointer into the body, or the name of a query or path parameter. */
export type ErrorSource = { pointer: string } | { parameter: string };

/** One error, as `errors[n]` on the wire. `status` is the HTTP status as text. */
export type ErrorObject = {
  status: string;
  code: ErrorCode;
  title: string;
  detail: string;
  /** The same as a message for users, in responses to our own pages. */
  people?: string;
  source?: ErrorSource;
  meta?: Record<string, unknown>;
};

/** The body of every error response. */
export type ErrorBody = { errors: ErrorObject[]; request_id: string };
