type Details = {
  retryable: boolean;
  requestId?: string;
  retryAfterSeconds?: number;
  meta?: Record<string, unknown>;
};

/** An error of the API: `code` is for programs, `message` for people. */
export class ApiError extends Error {
  override name = 'ApiError';

  constructor(
    readonly code: string,
    message: string,
    readonly details: Details,
    cause?: unknown,
  ) {
    super(message, { cause });
  }

  /**
   * Returns the first error of a response; several fields may be invalid at once.
   */
  static async of(response: Response): Promise<ApiError> {
    const { errors, request_id } = await response.json().catch(() => ({}));
    const {
      code = 'unexpected_answer',
      detail = `The service responded with ${response.status}.`,
      meta,
    } = errors?.[0] ?? {};
    const retryAfterSeconds = Number.parseInt(
      response.headers.get('retry-after') ?? '',
      10,
    );
    return new ApiError(code, detail, {
      retryable:
        response.status >= 500 ||
        response.status === 429 ||
        code === 'idempotency_key_in_use',
      ...(request_id && { requestId: request_id }),
      ...(retryAfterSeconds >= 0 && { retryAfterSeconds }),
      ...(meta && { meta }),
    });
  }

  static unreachable(cause: unknown): ApiError {
    const text =
      'The service cannot be reached. Check your connection and try again.';
    return new ApiError('network', text, { retryable: true }, cause);
  }
}
