/** What a handler answers. An object body is sent as JSON, a string or Buffer as it is (give its content type). */
export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Thrown by a handler to answer with a refusal in the provider's own shape. */
export class Refusal extends Error {
  override name = 'Refusal';
  constructor(readonly reply: Reply) {
    super(`refused with ${reply.status}`);
  }
}

/** Something the frame itself must refuse; each emulator words it in its provider's shape. */
export interface Problem {
  status: number;
  code: 'bad_body' | 'unknown_path' | 'rate_limited' | 'internal' | 'unavailable';
  message: string;
}
