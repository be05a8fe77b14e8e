import type { ApiErrorCode, ApiErrorObject, ErrorMeta } from './api-types.ts';

/**
 * `network` and `timeout`: there was no response. `unexpected_answer`: the response is not from the API. `server_only`:
 * a client secret must not be in a browser. `invalid_client` and the other codes of RFC 6749 come from the token
 * endpoint.
 */
type OwnCode =
  | 'network'
  | 'timeout'
  | 'unexpected_answer'
  | 'server_only'
  | 'invalid_request'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'slow_down';

export type CarelaneErrorCode = ApiErrorCode | OwnCode;

export type ErrorDetails = {
  status?: number;
  errors?: ApiErrorObject[];
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
};

/** Thrown for an error response, or when there is no response. */
export class CarelaneApiError extends Error {
  override name = 'CarelaneApiError';
  /** Stable; for programs. The code of the first error. */
  readonly code: CarelaneErrorCode;
  /** The HTTP status; 0 when there is no response. */
  readonly status: number;
  /** All errors, one per invalid field. */
  readonly errors: ApiErrorObject[];
  /** Structured data of the first error: the `alternatives` of `slot_taken`, … */
  readonly meta: ErrorMeta;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number | undefined;
  /**
   * For a POST: the key that it was sent with. When the outcome is not known (`network`, `timeout`,
   * `idempotency_key_in_use`), repeat the call with this key: it is executed only once.
   */
  idempotencyKey: string | undefined;

  constructor(code: CarelaneErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.status = details.status ?? 0;
    this.errors = details.errors ?? [];
    this.meta = this.errors[0]?.meta ?? {};
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}
