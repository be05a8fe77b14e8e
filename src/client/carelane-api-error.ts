import type { ApiErrorCode, ErrorMeta, Fault } from './api-types.ts';

/**
 * `network` and `timeout`: no answer came. `unexpected_answer`: one that is not the API's. `server_only`: a client secret
 * has no place in a browser. The token address has `invalid_client` and the other codes of RFC 6749.
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
  errors?: Fault[];
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
};

/** What a call throws when it was refused or no answer came. */
export class CarelaneApiError extends Error {
  override name = 'CarelaneApiError';
  /** Stable; meant for programs. Of several faults the first one's. */
  readonly code: CarelaneErrorCode;
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  /** Every fault, one for each field that is wrong. */
  readonly errors: Fault[];
  /** What the first fault brings along: the `alternatives` of `slot_taken`, … */
  readonly meta: ErrorMeta;
  /** Names the call in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the next try. */
  readonly retryAfter: number | undefined;
  /**
   * Of a POST: the key that it was sent with. Where its outcome is not known (`network`, `timeout`,
   * `idempotency_key_in_use`), sent with it again it is done once all the same.
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
