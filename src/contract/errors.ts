/** Every error code a caller can meet, its HTTP status and its title. The one list: OpenAPI and the doors read it. */
export const ERRORS = {
  malformed_json: { status: 400, title: 'Malformed JSON' },
  malformed_request: { status: 400, title: 'Malformed request' },
  missing_token: { status: 401, title: 'Missing token' },
  invalid_token: { status: 401, title: 'Invalid token' },
  expired_token: { status: 401, title: 'Expired token' },
  wrong_environment: { status: 401, title: 'Wrong environment' },
  forbidden: { status: 403, title: 'Forbidden' },
  account_not_confirmed: { status: 403, title: 'Account not confirmed' },
  not_found: { status: 404, title: 'Not found' },
  route_not_found: { status: 404, title: 'No such route' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  conflict: { status: 409, title: 'Conflict' },
  slot_taken: { status: 409, title: 'Slot taken' },
  already_canceled: { status: 409, title: 'Already canceled' },
  email_taken: { status: 409, title: 'E-mail taken' },
  external_id_taken: { status: 409, title: 'External id taken' },
  idempotency_key_in_use: { status: 409, title: 'Idempotency key in use' },
  body_too_large: { status: 413, title: 'Body too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  invalid_parameter: { status: 422, title: 'Invalid parameter' },
  missing_parameter: { status: 422, title: 'Missing parameter' },
  unknown_parameter: { status: 422, title: 'Unknown parameter' },
  range_too_long: { status: 422, title: 'Range too long' },
  slot_not_offered: { status: 422, title: 'Slot not offered' },
  not_reschedulable: { status: 422, title: 'Not reschedulable' },
  too_late: { status: 422, title: 'Too late' },
  price_not_offered: { status: 422, title: 'Price not offered' },
  promotion_code_invalid: { status: 422, title: 'Promotion code invalid' },
  patient_archived: { status: 422, title: 'Patient archived' },
  integration_not_connected: { status: 422, title: 'Integration not connected' },
  integration_misconfigured: { status: 422, title: 'Integration misconfigured' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key reused' },
  rate_limited: { status: 429, title: 'Rate limited' },
  internal_error: { status: 500, title: 'Internal error' },
  provider_error: { status: 502, title: 'Provider error' },
  provider_unavailable: { status: 503, title: 'Provider unavailable' },
  provider_timeout: { status: 504, title: 'Provider timeout' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** Where the fault lies: a JSON pointer into the body, or a query or path parameter's name. */
export type ErrorSource = { pointer: string } | { parameter: string };

/** One fault, as `errors[n]` on the wire. `status` is the HTTP status as text. */
export type ErrorObject = {
  status: string;
  code: ErrorCode;
  title: string;
  detail: string;
  source?: ErrorSource;
  meta?: Record<string, unknown>;
};

/** The body of every answer that is not a success. */
export type ErrorBody = { errors: ErrorObject[]; request_id: string };
