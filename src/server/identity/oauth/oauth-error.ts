/**
 * Codes of RFC 6749 §5.2, RFC 8693 §2.2.2 and RFC 7009 §2.2.1, `slow_down` of RFC 8628 §3.5 for too many wrong
 * attempts, and `temporarily_unavailable` of RFC 6749 §4.1.2.1.
 */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_token_type'
  | 'slow_down'
  | 'temporarily_unavailable'
  | 'server_error';

/** An error of the token endpoint. `description` may hold only the characters that RFC 6749 §5.2 allows. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    code: OAuthErrorCode,
    description: string,
    options: { status?: number; headers?: Record<string, string> } = {},
  ) {
    super(description);
    this.name = 'OAuthError';
    this.code = code;
    this.status = options.status ?? 400;
    this.headers = options.headers ?? {};
  }
}
