import type { BodyOf, CallArguments, ItemOf, Method, Operation, PagedPath, PathsWith } from './api-types.ts';
import { CarelaneApiError } from './carelane-api-error.ts';
import { isTransient, retryRequest } from './retry.ts';
import { type ApiResponse, type Fetch, send } from './send.ts';
import type { TokenSource } from './token-sources.ts';

export type ClientOptions = {
  /** `{PUBLIC_URL}/api/v1`. */
  baseUrl: string;
  /** The source of tokens: `clientCredentials`, `impersonation`, `sdkSession`, or a function that returns a token. */
  tokens: TokenSource;
  /** Default: the platform's. */
  fetch?: Fetch;
  /** Maximum number of automatic retries. Default: 2. */
  retries?: number;
  /** Timeout of one attempt. Default: 45 s, longer than the API ever waits. */
  timeoutMs?: number;
};

/** A response with status and headers. */
export type FullAnswer<Body> = { status: number; headers: Headers; body: Body };

type Call<M extends Method> = <P extends PathsWith<M>>(
  path: P,
  ...args: CallArguments<M, Operation<M, P>>
) => Promise<BodyOf<Operation<M, P>>>;

export type Client = {
  /**
   * Each resolves to the response body.
   * @throws CarelaneApiError, and errors of the token source
   */
  get: Call<'get'>;
  post: Call<'post'>;
  patch: Call<'patch'>;
  delete: Call<'delete'>;
  /** The same with status and headers, such as `Total-Count`. */
  request<M extends Method, P extends PathsWith<M>>(
    method: M,
    path: P,
    ...args: CallArguments<M, Operation<M, P>>
  ): Promise<FullAnswer<BodyOf<Operation<M, P>>>>;
  /** Iterates over all items of a list; each page is requested when it is reached. */
  all<P extends PagedPath>(
    path: P,
    ...args: CallArguments<'get', Operation<'get', P>>
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
/** Error codes for which a new token is requested. */
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
  const sendOptions = { fetch: fetch ?? ((...args: Parameters<Fetch>) => globalThis.fetch(...args)), timeoutMs };

  async function run(method: Method, path: string, query: string, options: AnyOptions): Promise<ApiResponse> {
    const { body, signal } = options;
    const url = base + fillPath(path, options.path) + query;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (body !== undefined) headers['content-type'] = 'application/json';
    // The same key for each attempt: the service executes the request once and returns the first response again.
    const idempotencyKey = method === 'post' ? (options.idempotencyKey ?? newKey()) : undefined;
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    const text = body === undefined ? undefined : JSON.stringify(body);
    let token = await tokens();
    let isRenewed = false;
    const attempt = async (): Promise<ApiResponse> => {
      const authorized = { ...headers, authorization: `Bearer ${token}` };
      try {
        return await send(sendOptions, { method: method.toUpperCase(), url, headers: authorized, body: text, signal });
      } catch (error) {
        if (isRenewed || !(error instanceof CarelaneApiError) || !RENEWABLE.includes(error.code)) throw error;
        // A failed renewal may be tried again.
        token = await tokens(token);
        isRenewed = true;
        return attempt();
      }
    };
    const shouldRetry = (error: CarelaneApiError) => mayRepeat(method, error);
    return retryRequest(attempt, { retries, signal, shouldRetry, maxWaitMs: timeoutMs }).catch((error: unknown) => {
      if (error instanceof CarelaneApiError) error.idempotencyKey = idempotencyKey;
      throw error;
    });
  }

  const request = (method: Method, path: string, options: AnyOptions = {}) =>
    run(method, path, queryOf(options.query), options);
  const call = (method: Method) => async (path: string, options?: AnyOptions) =>
    (await request(method, path, options)).body;

  async function* all(path: string, options: AnyOptions = {}): AsyncGenerator<unknown, void, undefined> {
    for (let query: string | null = queryOf(options.query); query !== null; ) {
      const { body, headers }: ApiResponse = await run('get', path, query, options);
      yield* body as unknown[];
      query = nextQuery(headers.get('link'));
    }
  }

  return {
    get: call('get'),
    post: call('post'),
    patch: call('patch'),
    delete: call('delete'),
    request: request,
    all,
  } as Client;
}

/** A POST has its key and a GET has no side effects; other methods are only repeated when they were not executed. */
const mayRepeat = (method: Method, error: CarelaneApiError): boolean =>
  method === 'get' || method === 'post'
    ? isTransient(error)
    : error.retryAfter !== undefined &&
      (error.status === 429 || error.status === 503) &&
      error.meta.retry_safe !== false;

const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

type Values = Record<string, unknown>;

/**
 * Fills the values into the path.
 * @throws CarelaneApiError for a missing value, or for `.` and `..`, which would change the path
 */
function fillPath(path: string, values: Values = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined || value === null || value === '')
      throw new CarelaneApiError('missing_parameter', `${path} needs ${name}.`);
    const text = String(value);
    if (text === '.' || text === '..') throw new CarelaneApiError('invalid_parameter', `${name} is not valid.`);
    return encodeURIComponent(text);
  });
}

/**
 * Returns the query string with `?`, or an empty string. Arrays become repeated parameters (`filters[]`); undefined
 * values are omitted.
 */
function queryOf(values: Values = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined && item !== null) query.append(name, String(item));
  const text = query.toString();
  return text && `?${text}`;
}

/**
 * Returns the query of the next page from the `Link` header (RFC 8288). Only the query is used, because the host may
 * differ behind a proxy.
 */
function nextQuery(link: string | null): string | null {
  const [, url] = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '') ?? [];
  const index = url?.indexOf('?') ?? -1;
  return url && index >= 0 ? url.slice(index) : null;
}
