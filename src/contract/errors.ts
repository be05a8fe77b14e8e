import { SCHEDULING_PROVIDER } from './scheduling-provider.ts';

/** One answer names no more of them, however many fields are wrong. */
export const MOST_ERRORS = 20;

/**
 * Every error code a caller can meet, its HTTP status, its title and what to make of it. OpenAPI and the doors read it;
 * `words-for-people.ts` has the same for those who sit before a page.
 * `passes`: may be over in a moment by itself, so the same request is worth another try.
 */
export const ERRORS = {
  malformed_json: { status: 400, title: 'Malformed JSON', meaning: 'The body is not JSON.' },
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    meaning:
      'The request cannot be read: a GET with a body, text that is not UTF-8, a body that is no object, or one of more than 10,000 values.',
  },
  missing_token: { status: 401, title: 'Missing token', meaning: 'Send `Authorization: Bearer <token>`.' },
  invalid_token: { status: 401, title: 'Invalid token', meaning: 'Not one of ours, or revoked. Get a new one.' },
  expired_token: { status: 401, title: 'Expired token', meaning: 'Get a new one.' },
  wrong_environment: {
    status: 401,
    title: 'Wrong environment',
    meaning: 'The token is of another environment than this one.',
  },
  invalid_client: {
    status: 401,
    title: 'Invalid client',
    meaning: 'No app of this name, or its way of signing in is another one.',
  },
  invalid_credentials: {
    status: 401,
    title: 'Invalid credentials',
    meaning: 'Wrong email or wrong password; which of them is not told.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    meaning: 'Known, but not entitled: a missing scope, or something that is not open to patients.',
  },
  organisation_only: {
    status: 403,
    title: 'Organisation only',
    meaning: 'The organisation does this itself and has not opened it to patients, nor to who acts for one.',
  },
  account_not_confirmed: {
    status: 403,
    title: 'Account not confirmed',
    meaning: 'The patient has to confirm the email or phone first.',
  },
  proof_required: {
    status: 403,
    title: 'Proof required',
    meaning: 'An access token alone does not change an email address or phone number: the device has to be known.',
  },
  verification_required: {
    status: 403,
    title: 'Verification required',
    meaning:
      'The link alone does not open this, or what was sent with it does not fit. `meta.asks` names what to send.',
  },
  sign_in_locked: {
    status: 403,
    title: 'Sign-in locked',
    meaning: 'A change of an address was undone; the organisation helps the patient to sign in again.',
  },
  sign_in_closed: {
    status: 403,
    title: 'Sign-in closed',
    meaning:
      'After a hundred wrong passwords only devices that have signed in before still may, until the mailed link or a reset.',
  },
  invitation_expired: {
    status: 403,
    title: 'Invitation expired',
    meaning: 'The temporary password is too old. Ask for a new invitation.',
  },
  not_found: { status: 404, title: 'Not found', meaning: 'No such thing, or not yours.' },
  route_not_found: { status: 404, title: 'No such route', meaning: 'Nothing is at this address.' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The `Allow` header lists what this address takes.',
  },
  conflict: {
    status: 409,
    passes: true,
    title: 'Conflict',
    meaning:
      'Something else is going on with it; the detail says what. For two visits of one patient that overlap, `meta.appointment_id` names the other; for a plan that the patient has, `meta.subscription_id`.',
  },
  expired_handshake: {
    status: 409,
    title: 'Expired handshake',
    meaning: 'Unknown, used, or too old: start the sign-in again.',
  },
  slot_taken: {
    status: 409,
    passes: true,
    title: 'Slot taken',
    meaning: 'Somebody was faster. `meta.alternatives` has up to three times near it.',
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
      'The first request with this key is still running. Send it again after as many seconds as `Retry-After` says. A request whose process has died is taken over within ten seconds.',
  },
  events_expired: {
    status: 410,
    title: 'Events expired',
    meaning:
      'What follows that sequence is no longer held: read the resources anew, then go on with an `after_sequence` of one less than `meta.oldest_sequence`.',
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
    meaning: 'The field that `source` names has a wrong value.',
  },
  missing_parameter: { status: 422, title: 'Missing parameter', meaning: 'The field that `source` names is needed.' },
  unknown_parameter: {
    status: 422,
    title: 'Unknown parameter',
    meaning: 'The field that `source` names does not exist here; a misspelling, perhaps.',
  },
  range_too_long: { status: 422, title: 'Range too long', meaning: 'At most seven consecutive days.' },
  slot_not_offered: {
    status: 422,
    title: 'Slot not offered',
    meaning: 'Not one of the times that `GET /availability` lists.',
  },
  not_reschedulable: { status: 422, title: 'Not reschedulable', meaning: 'This appointment cannot be moved.' },
  too_late: { status: 422, title: 'Too late', meaning: 'The time for this change has passed.' },
  too_early: { status: 422, title: 'Too early', meaning: 'The time for this change has not come yet.' },
  price_not_offered: {
    status: 422,
    title: 'Price not offered',
    meaning: 'Inactive, one-time or not of this organisation.',
  },
  promotion_code_invalid: { status: 422, title: 'Promotion code invalid', meaning: 'Unknown or no longer valid.' },
  patient_archived: {
    status: 422,
    title: 'Patient archived',
    meaning:
      'Archived patients are not changed, and nothing is booked or begun for them, nor while their care is ending.',
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
    meaning: 'The key was used with another request. Take a new one.',
  },
  invalid_code: { status: 422, title: 'Invalid code', meaning: 'Wrong, used, or meant for something else.' },
  expired_code: { status: 422, title: 'Expired code', meaning: 'Ask for a new one.' },
  too_many_tries: {
    status: 422,
    title: 'Too many tries',
    meaning: 'The code is dead after five wrong tries. Ask for a new one.',
  },
  phone_number_not_supported: {
    status: 422,
    title: 'Phone number not supported',
    meaning: 'Only ordinary numbers of the United States are texted.',
  },
  proof_of_work_required: {
    status: 428,
    title: 'Proof of work required',
    meaning: 'Many codes were asked for. Solve the challenge in `meta.proof_of_work` and repeat the request with it.',
  },
  rate_limited: {
    status: 429,
    passes: true,
    title: 'Rate limited',
    meaning: 'Wait as many seconds as `Retry-After` says.',
  },
  internal_error: { status: 500, title: 'Internal error', meaning: 'Our fault. Quote the `request_id`.' },
  provider_error: {
    status: 502,
    title: 'Provider error',
    meaning: 'The provider gave an answer that is of no use; the detail says whether to try again.',
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
      'Too many are waiting for the same already, or what is asked for cannot be noted in the audit log and so is not shown. Try again after as many seconds as `Retry-After` says.',
  },
  provider_timeout: {
    status: 504,
    title: 'Provider timeout',
    meaning: 'The provider did not answer in time; the detail says whether to try again.',
  },
} as const satisfies Record<string, { status: number; title: string; meaning: string; passes?: true }>;

export type ErrorCode = keyof typeof ERRORS;

/** Where the fault lies: a JSON pointer into the body, or a query or path parameter's name. */
export type ErrorSource = { pointer: string } | { parameter: string };

/** One fault, as `errors[n]` on the wire. `status` is the HTTP status as text. */
export type ErrorObject = {
  status: string;
  code: ErrorCode;
  title: string;
  detail: string;
  /** The same in words for people, behind the doors of our own pages. */
  people?: string;
  source?: ErrorSource;
  meta?: Record<string, unknown>;
};

/** The body of every answer that is not a success. */
export type ErrorBody = { errors: ErrorObject[]; request_id: string };
