/** Base class of all errors that this package throws. */
export class AuthError extends Error {
  override name = 'AuthError';
  /** Stable; for programs. */
  readonly code: string;
  /** Whether the same call may succeed later without changes. */
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number;
  /** Identifies the request in the service's log. */
  readonly requestId?: string;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.retryable = details.retryable ?? false;
    if (details.retryAfterSeconds !== undefined) this.retryAfterSeconds = details.retryAfterSeconds;
    if (details.requestId !== undefined) this.requestId = details.requestId;
  }
}

export type ErrorDetails = { retryable?: boolean; retryAfterSeconds?: number; requestId?: string; cause?: unknown };

/**
 * The configuration token is missing or invalid: `not_configured`, `malformed_configuration`,
 * `truncated_configuration`, `wrong_flow`, `wrong_environment`, `unsupported_version`, `invalid_client`; or the
 * platform lacks a feature: `no_random_source`.
 */
export class ConfigurationError extends AuthError {
  override name = 'ConfigurationError';
}
/** The service was not reached, or its response was lost: `network`, `timeout`. */
export class NetworkError extends AuthError {
  override name = 'NetworkError';
}
/**
 * The service failed or sent an unusable response: `service_unavailable`, `unexpected_answer`; or it is too busy for
 * `retryAfterSeconds`: `service_busy`.
 */
export class ServiceError extends AuthError {
  override name = 'ServiceError';
}
/** Too many requests: wait `retryAfterSeconds`. `rate_limited`. */
export class RateLimitedError extends AuthError {
  override name = 'RateLimitedError';
}
/** An argument is invalid: `invalid_parameter`, `missing_parameter`, `unknown_parameter`, `invalid_email`, … */
export class InvalidInputError extends AuthError {
  override name = 'InvalidInputError';
}
/** `invalid_phone_number`, `phone_number_not_supported` (not of the United States, or premium). */
export class InvalidPhoneNumberError extends InvalidInputError {
  override name = 'InvalidPhoneNumberError';
}
/** `password_too_short`, `password_too_long`, `password_too_common`, `password_contains_email`. */
export class PasswordRuleError extends InvalidInputError {
  override name = 'PasswordRuleError';
}
/**
 * `invalid_code`, `expired_code`, `too_many_tries`; `other_device` when no sign-up or reset was started on this device.
 */
export class InvalidCodeError extends AuthError {
  override name = 'InvalidCodeError';
}
/** Wrong email or password; the error does not reveal which. `invalid_credentials`. */
export class InvalidCredentialsError extends AuthError {
  override name = 'InvalidCredentialsError';
}
/**
 * After many wrong passwords, the password only works on devices that have signed in before, until the owner opens the
 * emailed link or sets a new password. `sign_in_closed`.
 */
export class SignInClosedError extends AuthError {
  override name = 'SignInClosedError';
}
/** The email address is not confirmed yet: `confirmSignUp` works on this device now. `account_not_confirmed`. */
export class NotConfirmedError extends AuthError {
  override name = 'NotConfirmedError';
}
/**
 * The password is right, but must be replaced: it is the temporary one of an invitation, or a change of the email
 * address was undone. Use `completeInvitationAndSetPassword` with it. `new_password_required`.
 */
export class NewPasswordRequiredError extends AuthError {
  override name = 'NewPasswordRequiredError';
}
/** `invitation_expired`. `resend()` emails a new invitation. */
export class InvitationExpiredError extends AuthError {
  override name = 'InvitationExpiredError';
  readonly resend: () => Promise<unknown>;

  constructor(resend: () => Promise<unknown>, details: ErrorDetails = {}) {
    super('invitation_expired', 'This invitation has expired. Ask for a new one.', details);
    this.resend = resend;
  }
}
/** No user is signed in. `not_signed_in`. */
export class NotSignedInError extends AuthError {
  override name = 'NotSignedInError';

  constructor() {
    super('not_signed_in', 'No user is signed in.');
  }
}
/** The session has ended: its 30 days are over, or it was ended elsewhere. `sign_in_required`. */
export class SignInRequiredError extends AuthError {
  override name = 'SignInRequiredError';

  constructor(details: ErrorDetails = {}) {
    super('sign_in_required', 'The session has ended. Please sign in again.', details);
  }
}
/**
 * The signed-in user may not do this: `forbidden`, `no_password`, `proof_required` (sign in again on this device
 * first), `sign_in_locked` (the clinic helps).
 */
export class NotAllowedError extends AuthError {
  override name = 'NotAllowedError';
}
/** The other side could not prove that it is the service; nothing secret was sent to it. `untrusted_server`. */
export class UntrustedServerError extends AuthError {
  override name = 'UntrustedServerError';
}
/**
 * `machineToMachine` and `impersonation` need a client secret, which must not be in a browser or app. `server_only`.
 */
export class ServerOnlyError extends AuthError {
  override name = 'ServerOnlyError';

  constructor() {
    super(
      'server_only',
      'This works in a Node server only: it needs a client secret, which must never reach a browser.',
    );
  }
}
