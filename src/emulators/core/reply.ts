/**
 * A handler's response. An object body is sent as JSON; a string or Buffer is sent unchanged (set its content type).
 */
export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Thrown by a handler to send an error response in the provider's shape. */
export class ErrorReply extends Error {
  override name = 'Refusal';
  constructor(readonly reply: Reply) {
    super(`refused with ${reply.status}`);
  }
}

/** An error of the framework itself; each emulator renders it in its provider's shape. */
export interface Problem {
  status: number;
  code: 'bad_body' | 'unknown_path' | 'rate_limited' | 'internal' | 'unavailable';
  message: string;
}
