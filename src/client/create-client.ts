import { fillPath, nextQuery, queryOf } from './address.ts';
import type { BodyOf, CallArguments, ItemOf, Method, Operation, PagedPath, PathsWith } from './api-types.ts';
import { CarelaneApiError } from './carelane-api-error.ts';
import { isPassing, repeat } from './repeat.ts';
import { type Answer, type Fetch, send } from './send.ts';
import type { TokenSource } from './token-sources.ts';

export type ClientOptions = {
  /** `{PUBLIC_URL}/api/v1`. */
  baseUrl: string;
  /** Who calls: `clientCredentials`, `impersonation`, `sdkSession`, or a function that gives a token. */
  tokens: TokenSource;
  /** Default: the platform's. */
  fetch?: Fetch;
  /** How often a call is repeated by itself at most. Default: 2. */
  retries?: number;
  /** How long one try may take. Default: 45 s, more than the API ever waits. */
  timeoutMs?: number;
};

/** An answer with what stands beside its body. */
export type FullAnswer<Body> = { status: number; headers: Headers; body: Body };

type Call<M extends Method> = <P extends PathsWith<M>>(
  path: P,
  ...given: CallArguments<M, Operation<M, P>>
) => Promise<BodyOf<Operation<M, P>>>;

export type Client = {
  /** Each resolves to the answer's body. @throws CarelaneApiError, and what the token source throws */
  get: Call<'get'>;
  post: Call<'post'>;
  patch: Call<'patch'>;
  delete: Call<'delete'>;
  /** The same with status and headers, such as `Total-Count`. */
  request<M extends Method, P extends PathsWith<M>>(
    method: M,
    path: P,
    ...given: CallArguments<M, Operation<M, P>>
  ): Promise<FullAnswer<BodyOf<Operation<M, P>>>>;
  /** Every item of a list, page by page: as many pages are asked for as are read. */
  all<P extends PagedPath>(
    path: P,
    ...given: CallArguments<'get', Operation<'get', P>>
  ): AsyncGenerator<ItemOf<P>, void, undefined>;
};

type AnyOptions = {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
  idempotencyKey?: string;
};

const RETRIES = 2;
const TIMEOUT_MS = 45_000;
/** Of tokens that another one may take the place of. */
const RENEWABLE = ['invalid_token', 'expired_token'];

export function createClient({
  baseUrl,
  tokens,
  retries = RETRIES,
  timeoutMs = TIMEOUT_MS,
  fetch,
}: ClientOptions): Client {
  if (!/^https?:\/\/[^/]/.test(baseUrl)) throw new TypeError('baseUrl is the address of the API: {PUBLIC_URL}/api/v1');
  const base = baseUrl.replace(/\/+$/, '');
  const sending = { fetch: fetch ?? ((...given: Parameters<Fetch>) => globalThis.fetch(...given)), timeoutMs };

  async function run(method: Method, path: string, query: string, options: AnyOptions): Promise<Answer> {
    const { body, signal } = options;
    const url = base + fillPath(path, options.path) + query;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    // The same for every try: the service then does it once, and answers it like the first time.
    const idempotencyKey = method === 'post' ? (options.idempotencyKey ?? newKey()) : undefined;
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    const text = body === undefined ? undefined : JSON.stringify(body);
    let token = await tokens();
    let isRenewed = false;
    const attempt = async (): Promise<Answer> => {
      const authorized = { ...headers, authorization: `Bearer ${token}` };
      try {
        return await send(sending, { method: method.toUpperCase(), url, headers: authorized, body: text, signal });
      } catch (error) {
        if (isRenewed || !(error instanceof CarelaneApiError) || !RENEWABLE.includes(error.code)) throw error;
        // A renewal that came to nothing may be tried again.
        token = await tokens(token);
        isRenewed = true;
        return attempt();
      }
    };
    const isWorthIt = (error: CarelaneApiError) => mayRepeat(method, error);
    return repeat(attempt, { retries, signal, isWorthIt, patienceMs: timeoutMs }).catch((error: unknown) => {
      if (error instanceof CarelaneApiError) error.idempotencyKey = idempotencyKey;
      throw error;
    });
  }

  const ask = (method: Method, path: string, options: AnyOptions = {}) =>
    run(method, path, queryOf(options.query), options);
  const call = (method: Method) => async (path: string, options?: AnyOptions) =>
    (await ask(method, path, options)).body;

  async function* all(path: string, options: AnyOptions = {}): AsyncGenerator<unknown, void, undefined> {
    for (let query: string | null = queryOf(options.query); query !== null; ) {
      const { body, headers }: Answer = await run('get', path, query, options);
      yield* body as unknown[];
      query = nextQuery(headers.get('link'));
    }
  }

  return {
    get: call('get'),
    post: call('post'),
    patch: call('patch'),
    delete: call('delete'),
    request: ask,
    all,
  } as Client;
}

/** A POST has its key and a GET changes nothing; of the others only what was not begun is sent again. */
const mayRepeat = (method: Method, error: CarelaneApiError): boolean =>
  method === 'get' || method === 'post'
    ? isPassing(error)
    : error.retryAfter !== undefined &&
      (error.status === 429 || error.status === 503) &&
      error.meta.retry_safe !== false;

const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
