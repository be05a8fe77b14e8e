import { ZodError, z } from 'zod';
import { DEFAULT_PAGE_SIZE, PARTS } from '#contract/conventions.ts';
import { ERRORS } from '#contract/errors.ts';
import { type Method, ROUTES, type Route } from '#contract/routes.ts';
import { authenticateBearer } from '#server/identity/index.ts';
import { type Actor, credentialOf } from '../core/actor.ts';
import type { Config } from '../core/config.ts';
import { type Context, contextFor, type KeyedRequest, type Services } from '../core/context.ts';
import { apiError, CarelaneError, MAX_NAME_BYTES, notFound, pointerTo, truncate } from '../core/errors.ts';
import { fieldErrors } from '../core/field-errors.ts';
import { callProcedure } from '../core/trpc.ts';
import { writeAuditEntry } from '../core/write-audit-entry.ts';
import { procedures, readsOf } from '../router.ts';
import { assertRequestLimit, rateLimitHeaders } from './address-limit.ts';
import { assertMethod, causeOf, createHandler, logUnexpectedError, type RequestInfo } from './create-handler.ts';
import type { Handler, HttpRequest, HttpResponse } from './handler.ts';
import { type IdempotentResult, readIdempotencyKey, runIdempotent } from './idempotency.ts';
import { nulError, parseBody, readText } from './read-json.ts';
import { type ListSlice, respond, respondError } from './respond.ts';

const PREFIX = '/api/v1';
const NAME = 'rest';
const INTERNAL_ERROR = 'Something went wrong on our side; quote the request_id when you report it.';

/**
 * Handles the public REST API: finds the route, authenticates the bearer token and calls the procedures that the portal
 * also uses.
 */
export function createRestHandler(services: Services): Handler {
  async function handle(request: HttpRequest, { requestId, onTenant }: RequestInfo): Promise<HttpResponse> {
    const path = request.path.slice(PREFIX.length);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (path === '/openapi.json' && isRead) return openApiResponse(services);
    if (path === '/docs' && isRead) return redirectToReference(services.config);
    const match = findRoute(request.method, path);
    const actor = await authenticateBearer(services, request.header('authorization'));
    onTenant(actor.tenantId);
    const credential = [actor.tenantId, credentialOf(actor)];
    const state = assertRequestLimit(services, { name: 'rest_requests', key: credential });
    const response = await run(services, actor, request, match, requestId);
    Object.assign(response.headers, rateLimitHeaders(state));
    return response;
  }

  return createHandler(services, {
    name: NAME,
    cors: true,
    internalError: INTERNAL_ERROR,
    toCarelaneError: (cause) => toCarelaneError(cause, null),
    handle,
  });
}

async function run(
  services: Services,
  actor: Actor,
  request: HttpRequest,
  match: Match,
  requestId: string,
): Promise<HttpResponse> {
  const key = readIdempotencyKey(request);
  const input = await readInput(request, match);
  const { route } = match;
  const slice = takeListSlice(route, input);
  const { baseUrl } = services.config;
  const requestInfo = { requestId, ip: request.ip, userAgent: request.header('user-agent') };
  const reauthenticate = () => authenticateBearer(services, request.header('authorization'));
  const present = (result: unknown) =>
    respond(route, result, { request, baseUrl, at: baseUrl + request.path.slice(PREFIX.length), part: slice });
  const work = async (keyed: KeyedRequest | null): Promise<IdempotentResult> => {
    let isReplay = false;
    const onReplay = () => {
      isReplay = true;
    };
    let age: number | null = null;
    const onAge = (seconds: number) => {
      age = seconds;
    };
    try {
      const response = present(
        await call(
          contextFor(services, actor, {
            ...requestInfo,
            keyed,
            onReplay,
            onAge,
            reauthenticate,
            abortSignal: request.abortSignal ?? null,
          }),
          match,
          input,
        ),
      );
      if (isReplay) response.headers['idempotent-replayed'] = 'true';
      if (age !== null) response.headers.age = String(age);
      return { response, isFinal: true };
    } catch (thrown) {
      const cause = causeOf(thrown);
      const known = toCarelaneError(cause, input);
      if (!known) logUnexpectedError(services, { requestId, handler: NAME }, cause);
      const error = known ?? apiError('internal_error', INTERNAL_ERROR);
      const isTransient = error.status >= 500 || error.faults.some(({ code }) => 'passes' in ERRORS[code]);
      return { response: respondError(error, requestId), isFinal: !isTransient };
    }
  };
  if (!key) return (await work(null)).response;
  const ctx = contextFor(services, actor, requestInfo);
  const { method, path, query } = request;
  const fingerprintInput = { method, path, query: query.toString(), body: input.rawBody };
  let hasRun = false;
  const response = await runIdempotent(ctx, key, fingerprintInput, {
    route,
    run: (keyed) => {
      hasRun = true;
      return work(keyed);
    },
    rebuild: present,
  });
  if (!hasRun) await auditReplay(ctx, route, input, response);
  return response;
}

/** A replayed response shows patient data without a procedure call, so its audit entry is written here. */
async function auditReplay(
  ctx: Context,
  { procedure }: Route,
  input: Input,
  { status, body }: HttpResponse,
): Promise<void> {
  const reads = readsOf(procedure);
  if (status >= 400 || !reads) return;
  const outcome = { ok: true, data: body === null ? null : JSON.parse(body) } as const;
  await writeAuditEntry(ctx, { reads, path: procedure, type: 'mutation', input: input.values }, outcome);
}

function call(ctx: Context, { route: { procedure: name } }: Match, input: Input): Promise<unknown> {
  const procedure = procedures[name];
  if (!procedure) throw new Error(`there is no procedure ${name}`);
  return callProcedure(procedure, name, ctx, input.values);
}

/** Converts an exception to the contract's errors; null for an unexpected one. */
function toCarelaneError(cause: unknown, input: Input | null): CarelaneError | null {
  const parameters = input?.parameters ?? new Set<string>();
  if (cause instanceof CarelaneError) return relocate(cause, parameters);
  if (cause instanceof ZodError) return new CarelaneError(fieldErrors(cause, parameters, input?.values));
  return null;
}

/** Procedures point to a field by name; only this layer knows which names came from the query. */
function relocate(error: CarelaneError, parameters: ReadonlySet<string>): CarelaneError {
  const faults = error.faults.map((fault) => {
    if (!fault.source || !('pointer' in fault.source)) return fault;
    const name = fault.source.pointer.split('/')[1] ?? '';
    return parameters.has(name) ? { ...fault, source: { parameter: name } } : fault;
  });
  return new CarelaneError(faults, { headers: error.headers, cause: error.cause });
}

function openApiResponse({ http }: Services): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, max-age=300' },
    body: http.openApi(),
  };
}

/** Redirects to the reference page for people. */
const redirectToReference = ({ publicUrl }: Config): HttpResponse => ({
  status: 302,
  headers: { location: `${publicUrl}/docs` },
  body: null,
});

type Match = { route: Route; params: Record<string, string> };

type Pattern = { path: string; segments: string[]; byMethod: ReadonlyMap<Method, Route> };

/** The routes by path, built once. */
const PATTERNS: readonly Pattern[] = [...new Set(ROUTES.map(({ path }) => path))].map((path) => ({
  path,
  segments: path.split('/'),
  byMethod: new Map(ROUTES.filter((route) => route.path === path).map((route) => [route.method, route])),
}));
/** Paths without parameters take precedence. */
const EXACT: ReadonlyMap<string, Pattern> = new Map(
  PATTERNS.filter(({ path }) => !path.includes('{')).map((pattern) => [pattern.path, pattern]),
);
const OPEN = PATTERNS.filter(({ path }) => path.includes('{'));

/** A segment with invalid percent-encoding matches no id, but still selects the route. */
const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

function bind(pattern: Pattern, segments: string[]): Record<string, string> | null {
  if (pattern.segments.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.segments.entries()) {
    const raw = segments[index] ?? '';
    if (part.startsWith('{')) {
      const value = decode(raw);
      if (!value) return null;
      params[part.slice(1, -1)] = value;
    } else if (part !== raw) return null;
  }
  return params;
}

/** @throws `route_not_found`, `method_not_allowed` */
function findRoute(requestMethod: string, path: string): Match {
  const pattern = EXACT.get(path);
  const segments = path.split('/');
  let params: Record<string, string> | null = pattern ? {} : null;
  let matched = pattern;
  for (const candidate of matched ? [] : OPEN) {
    params = bind(candidate, segments);
    if (params) {
      matched = candidate;
      break;
    }
  }
  if (!matched || !params) throw apiError('route_not_found', `There is no ${PREFIX}${path.slice(0, 200)}.`);
  const method = requestMethod === 'HEAD' ? 'GET' : requestMethod;
  assertMethod(method, [...matched.byMethod.keys()]);
  return { route: matched.byMethod.get(method as Method)!, params };
}

type Input = {
  values: Record<string, unknown>;
  /** Names that belong to the path or the query, sent or not; an error names the right source by them. */
  parameters: Set<string>;
  /** The body as sent, for the idempotency fingerprint. */
  rawBody: string;
};

/**
 * Merges path, query and body into one input. A name may come from only one of them. A malformed id in the path gets
 * the same error as an unknown id.
 * @throws `not_found`, `unknown_parameter`, `invalid_parameter`
 */
async function readInput(request: HttpRequest, match: Match): Promise<Input> {
  const { method, path, input } = match.route;
  for (const [name, value] of Object.entries(match.params))
    if (!(input.shape[name] as z.ZodType).safeParse(value).success) throw notFound(resourceAt(path, name));
  const values: Record<string, unknown> = Object.create(null);
  // Without a body, a missing field can only be missing from the query.
  const parameters = new Set<string>(method === 'GET' || method === 'DELETE' ? Object.keys(input.shape) : []);
  for (const key of new Set(request.query.keys())) {
    const name = key.endsWith('[]') ? key.slice(0, -2) : key;
    if (name in match.params || name in values) throw unknown(key, { parameter: key });
    const all = request.query.getAll(key);
    if (all.some((value) => value.includes('\u0000'))) throw nulError({ parameter: key });
    values[name] = key.endsWith('[]') || all.length > 1 ? all : all[0];
    parameters.add(name);
  }
  for (const [name, value] of Object.entries(match.params)) {
    values[name] = value;
    parameters.add(name);
  }
  const rawBody = await readText(request);
  if (rawBody.trim() !== '') {
    for (const [name, value] of Object.entries(parseBody(rawBody, request, match.route.wrapper))) {
      if (name in values || name === '__proto__') throw unknown(name, { pointer: pointerTo([name]) });
      values[name] = value;
    }
  }
  return { values, parameters, rawBody };
}

/** Turns `/patients/{id}/archive`, `id` into `patient`. */
function resourceAt(path: string, name: string): string {
  const [above = '', last = ''] = (path.split(`/{${name}}`)[0] ?? '').split('/').slice(-2);
  const noun = (segment: string) => segment.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('_', ' ');
  // A list nested in another resource takes both names.
  return last === 'unmatched' ? `${last} ${noun(above)}` : noun(last);
}

const unknown = (name: string, source: { parameter: string } | { pointer: string }) =>
  apiError('unknown_parameter', `"${truncate(name, MAX_NAME_BYTES)}" is not known here.`, { source });

const Parts = z.strictObject(PARTS);
/**
 * Removes `page` and `size` from the input of a list without cursors: its procedure does not accept them.
 * @throws `invalid_parameter`
 */
function takeListSlice({ list }: Route, { values, parameters }: Input): ListSlice {
  if (list !== 'array' && list !== 'times') return null;
  const { page, size } = values;
  const parsed = Parts.safeParse({ page, size });
  if (!parsed.success) throw new CarelaneError(fieldErrors(parsed.error, parameters, values));
  delete values.page;
  delete values.size;
  if (page === undefined && size === undefined) return null;
  return { page: parsed.data.page ?? 1, size: parsed.data.size ?? DEFAULT_PAGE_SIZE };
}
