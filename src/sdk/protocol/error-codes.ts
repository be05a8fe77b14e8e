/**
 * Error codes of the identity endpoints with their HTTP status, in addition to those of the REST API
 * (`invalid_parameter`, `rate_limited`, `invalid_token`, `wrong_environment`, `account_not_confirmed`, …), in the same
 * format `{errors: [{status, code, title, detail}], request_id}`.
 */
export const ERROR_STATUS = {
  /** Wrong, used, or for another purpose. */
  invalid_code: 422,
  expired_code: 422,
  /** The code is invalid after too many wrong attempts; a new one is needed. */
  too_many_tries: 422,
  /** Wrong email or password; the response does not reveal which. */
  invalid_credentials: 401,
  /** The handshake or continuation is unknown, used, or older than two minutes: start again. */
  expired_handshake: 409,
  invitation_expired: 403,
  /** Too many wrong passwords from unknown devices: an emailed link or a reset allows new devices again. */
  sign_in_closed: 403,
  /** Solve the challenge in `meta.proof_of_work` and repeat the request with the solution. */
  proof_of_work_required: 428,
  /**
   * The token is valid, but the client has to show more: a known device, the password, or a code sent to the address.
   */
  proof_required: 403,
  /** A change of address was undone, and only the clinic can help. */
  sign_in_locked: 403,
  phone_number_not_supported: 422,
  /** Too many password checks are running or waiting: repeat the request after `Retry-After`. */
  service_busy: 503,
  /** The app is unknown, or its flow is another one. */
  invalid_client: 401,
} as const;

export type IdentityErrorCode = keyof typeof ERROR_STATUS;
