/**
 * The codes, with their HTTP status, that the identity endpoints answer beside those of the REST API
 * (`invalid_parameter`, `rate_limited`, `invalid_token`, `wrong_environment`, `account_not_confirmed`, …), in the same
 * `{errors: [{status, code, title, detail}], request_id}`.
 */
export const REFUSALS = {
  /** Wrong, used, or meant for something else. */
  invalid_code: 422,
  expired_code: 422,
  /** The code is dead after too many wrong tries; a new one is needed. */
  too_many_tries: 422,
  /** Wrong e-mail or wrong password: which of them is not told. */
  invalid_credentials: 401,
  /** Handshake or continuation unknown, used, or older than two minutes: start again. */
  expired_handshake: 409,
  invitation_expired: 403,
  /** Too many wrong passwords from devices that are not known: a mailed link or a reset lets new ones in again. */
  sign_in_closed: 403,
  /** Solve the challenge in `meta.proof_of_work`, and repeat the request with the solution. */
  proof_of_work_required: 428,
  /** The token is right, but who holds it has to show more: a known device, the password, or a code to the address. */
  proof_required: 403,
  /** A change of an address was undone, and only the clinic can help. */
  sign_in_locked: 403,
  phone_number_not_supported: 422,
  /** So many prove their passwords at the moment that nobody more may wait: come again after `Retry-After`. */
  service_busy: 503,
  /** No app of this name; or its flow is another one. */
  invalid_client: 401,
} as const;

export type Refusal = keyof typeof REFUSALS;
