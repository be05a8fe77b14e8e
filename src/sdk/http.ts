import {
  AuthError,
  ConfigurationError,
  InvalidCodeError,
  InvalidCredentialsError,
  InvalidInputError,
  InvalidPhoneNumberError,
  NetworkError,
  NotAllowedError,
  NotConfirmedError,
  RateLimitedError,
  ServiceError,
  SignInClosedError,
  SignInRequiredError,
} from './errors.ts';
import { readWork, WorkRequired } from './proof-of-work.ts';
import type { IdentityErrorCode } from './protocol/error-codes.ts';

type ErrorClass = new (
  code: string,
  message: string,
  details: { requestId?: string; retryable?: boolean },
) => AuthError;

/** The retryable ones are built below. */
const ERROR_CLASSES: Record<
  | Exclude<IdentityErrorCode, 'expired_handshake' | 'proof_of_work_required' | 'service_busy'>
  | 'account_not_confirmed'
  | 'wrong_environment'
  | 'forbidden',
  ErrorClass
> = {
  invalid_code: InvalidCodeError,
  expired_code: InvalidCodeError,
  too_many_tries: InvalidCodeError,
  invalid_credentials: InvalidCredentialsError,
  account_not_confirmed: NotConfirmedError,
  phone_number_not_supported: InvalidPhoneNumberError,
  invalid_client: ConfigurationError,
  wrong_environment: ConfigurationError,
  forbidden: NotAllowedError,
  invitation_expired: NotAllowedError,
  sign_in_closed: SignInClosedError,
  proof_required: NotAllowedError,
  sign_in_locked: NotAllowedError,
};
const SESSION_ENDED_CODES = new Set(['invalid_token', 'expired_token', 'missing_token', 'invalid_grant']);

type ErrorResponse = { status: number; body: unknown; retryAfter: string | null };
type ErrorBody = { code?: string; message?: string; requestId?: string; meta?: unknown };

/** Returns the error for a response other than 2xx: in the API's own format, or in that of RFC 6749 §5.2. */
function errorOfResponse({ status, body, retryAfter }: ErrorResponse): AuthError {
  const { code, message, requestId, meta } = readError(body);
  const details = requestId === undefined ? {} : { requestId };
  const seconds = Number.parseInt(retryAfter ?? '', 10);
  const retryDetails = { ...details, retryable: true, ...(seconds >= 0 && { retryAfterSeconds: seconds }) };
  if (status === 429 || code === 'slow_down')
    return new RateLimitedError('rate_limited', message ?? 'Too many attempts. Please wait a moment.', retryDetails);
  if (status >= 500)
    return new ServiceError(
      code === 'service_busy' ? code : 'service_unavailable',
      message ?? 'The service failed. Please try again.',
      retryDetails,
    );
  const work = code === 'proof_of_work_required' ? readWork(meta) : null;
  if (work) return new WorkRequired(message ?? '', work, details);
  if (!code || !message)
    return new ServiceError('unexpected_answer', `The service sent an invalid response (${status}).`, details);
  if (SESSION_ENDED_CODES.has(code)) return new SignInRequiredError(details);
  if (code === 'expired_handshake') return new ServiceError(code, message, { ...details, retryable: true });
  const ErrorType = Object.hasOwn(ERROR_CLASSES, code) ? ERROR_CLASSES[code as keyof typeof ERROR_CLASSES] : null;
  return new (ErrorType ?? (status === 422 || status === 400 ? InvalidInputError : ServiceError))(
    code,
    message,
    details,
  );
}

function readError(body: unknown): ErrorBody {
  if (typeof body !== 'object' || body === null) return {};
  const { errors, request_id, error, error_description } = body as Record<string, unknown>;
  const first = Array.isArray(errors) ? (errors[0] as Record<string, unknown> | undefined) : undefined;
  const code = first?.code ?? error;
  const message = first?.detail ?? error_description ?? code;
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof message === 'string' && { message }),
    ...(typeof request_id === 'string' && { requestId: request_id }),
    meta: first?.meta,
  };
}

const TIMEOUT_MS = 15_000;

export type Fetch = typeof globalThis.fetch;
export type HttpRequest = {
  method: string;
  url: string;
  json?: object;
  form?: Record<string, string>;
  bearer?: string;
  /** The same for a repetition of a step, so that the service can return the first response again. */
  idempotencyKey?: string;
};

/**
 * @returns the JSON of the response; null when it is empty
 * @throws NetworkError (retryable), or the error of the response
 */
export async function send(
  fetch: Fetch,
  { method, url, json, form, bearer, idempotencyKey }: HttpRequest,
): Promise<unknown> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (json) headers['content-type'] = 'application/json';
  if (form) headers['content-type'] = 'application/x-www-form-urlencoded';
  if (bearer) headers.authorization = `Bearer ${bearer}`;
  if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(json && { body: JSON.stringify(json) }),
      ...(form && { body: encodeForm(form) }),
      credentials: 'omit',
      cache: 'no-store',
      signal: limit.signal,
    });
    const text = await response.text();
    const parsed = parse(text);
    if (!response.ok)
      throw errorOfResponse({ status: response.status, body: parsed, retryAfter: response.headers.get('retry-after') });
    if (text && (typeof parsed !== 'object' || parsed === null))
      throw new ServiceError('unexpected_answer', 'The service sent an invalid response.');
    return parsed ?? null;
  } catch (error) {
    if (error instanceof AuthError) throw error;
    throw limit.signal.aborted
      ? new NetworkError('timeout', 'The service did not respond in time.', { retryable: true, cause: error })
      : new NetworkError('network', 'The service cannot be reached. Is this device online?', {
          retryable: true,
          cause: error,
        });
  } finally {
    clearTimeout(timer);
  }
}

function parse(text: string): unknown {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Own code, because React Native's URLSearchParams is incomplete. */
const encodeForm = (form: Record<string, string>): string =>
  Object.entries(form)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
