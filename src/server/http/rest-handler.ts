import { TRPCError } from '@trpc/server';
import { ZodError } from 'zod';
import { ERRORS } from '#contract/errors.ts';
import type { Route } from '#contract/routes.ts';
import { type Actor, credentialOf } from '../core/actor.ts';
import type { Config } from '../core/config.ts';
import { type Context, contextFor, type KeyedRequest, type Services } from '../core/context.ts';
import { apiError, CarelaneError } from '../core/errors.ts';
import { fieldErrors } from '../core/field-errors.ts';
import { newId } from '../core/ids.ts';
import { writeAuditEntry } from '../core/write-audit-entry.ts';
import { authenticateBearer } from '../identity/sessions/authenticate-bearer.ts';
import { createCaller, readsOf } from '../router.ts';
import { assertAddressLimit, assertRequestLimit, rateLimitHeaders } from './address-limit.ts';
import { corsHeaders, preflight } from './cors.ts';
import type { Handler, HttpRequest, HttpResponse } from './handler.ts';
import { type IdempotentResult, readIdempotencyKey, runIdempotent } from './idempotency.ts';
import { takeListSlice } from './list-slice.ts';
import { type Input, readInput } from './read-input.ts';
import { respond, respondError } from './respond.ts';
import { findRoute, type Match } from './route-table.ts';

const PREFIX = '/api/v1';

/**
 * Handles the public REST API: finds the route, authenticates the bearer token and calls the procedures that the portal
 * also uses.
 */
export function createRestHandler(services: Services): Handler {
  async function answer(
    request: HttpRequest,
    requestId: string,
    onActor: (actor: Actor) => void,
  ): Promise<HttpResponse> {
    assertAddressLimit(services, request.ip);
    if (request.method === 'OPTIONS') return preflight(services, request);
    const path = request.path.slice(PREFIX.length);
    if (path === '/openapi.json' && request.method === 'GET') return openApiAnswer(services);
    if (path === '/docs' && request.method === 'GET') return toReference(services.config);
    const match = findRoute(request.method, path);
    if (!match) throw apiError('route_not_found', `There is no ${PREFIX}${path.slice(0, 200)}.`);
    if ('allow' in match)
      throw new CarelaneError(
        { code: 'method_not_allowed', detail: `This address takes ${match.allow.join(', ')}.` },
        { headers: { allow: match.allow.join(', ') } },
      );
    const actor = await authenticateBearer(services, request.header('authorization'));
    onActor(actor);
    const credential = `${actor.tenantId}:${credentialOf(actor)}`;
    const state = assertRequestLimit(services, credential, services.config.requestsPerMinute);
    const response = await run(services, actor, request, match, requestId);
    Object.assign(response.headers, rateLimitHeaders(state));
    return response;
  }

  return async (request) => {
    const requestId = newId(services.clock.now());
    let tenantId: string | null = null;
    let response: HttpResponse;
    try {
      response = await answer(request, requestId, (actor) => {
        tenantId = actor.tenantId;
      });
    } catch (error) {
      response = respondError(toCarelaneError(error, null, services, requestId), requestId);
    }
    response.headers['request-id'] = requestId;
    Object.assign(response.headers, await corsHeaders(services, request, tenantId));
    return response;
  };
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
  const part = takeListSlice(route, input);
  const { baseUrl } = services.config;
  const asking = { requestId, ip: request.ip, userAgent: request.header('user-agent') };
  const actorNow = () => authenticateBearer(services, request.header('authorization'));
  const told = (result: unknown) =>
    respond(route, result, { request, baseUrl, at: baseUrl + request.path.slice(PREFIX.length), part });
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
      const response = told(
        await call(
          contextFor(services, actor, {
            ...asking,
            keyed,
            onReplay,
            onAge,
            reauthenticate: actorNow,
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
      const error = toCarelaneError(thrown, input, services, requestId);
      const passes = error.status >= 500 || error.faults.some(({ code }) => 'passes' in ERRORS[code]);
      return { response: respondError(error, requestId), isFinal: !passes };
    }
  };
  if (!key) return (await work(null)).response;
  const ctx = contextFor(services, actor, asking);
  const { method, path, query } = request;
  const asked = { method, path, query: query.toString(), body: input.rawBody };
  let ran = false;
  const response = await runIdempotent(ctx, key, asked, {
    route,
    run: (keyed) => {
      ran = true;
      return work(keyed);
    },
    rebuild: told,
  });
  if (!ran) await noteKept(ctx, route, input, response);
  return response;
}

/** A replayed response shows patient data without a procedure call, so its audit entry is written here. */
async function noteKept(
  ctx: Context,
  { procedure }: Route,
  input: Input,
  { status, body }: HttpResponse,
): Promise<void> {
  const reads = readsOf(procedure);
  if (status >= 400 || !reads) return;
  const outcome = { ok: true, data: body === null ? null : JSON.parse(body) } as const;
  await writeAuditEntry(ctx, { reads, path: procedure, type: 'query', input: input.values }, outcome);
}

function call(ctx: ReturnType<typeof contextFor>, { route }: Match, input: Input): Promise<unknown> {
  const [domain, verb] = route.procedure.split('.') as [string, string];
  const caller = createCaller(ctx) as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>;
  return caller[domain]![verb]!(input.values);
}

/** Converts any exception to the contract's errors; unexpected ones are logged and not shown. */
function toCarelaneError(error: unknown, input: Input | null, services: Services, requestId: string): CarelaneError {
  const parameters = input?.parameters ?? new Set<string>();
  const cause = error instanceof TRPCError ? (error.cause ?? error) : error;
  if (cause instanceof CarelaneError) return relocate(cause, parameters);
  if (cause instanceof ZodError) return new CarelaneError(fieldErrors(cause, parameters, input?.values));
  services.log.error({ requestId, err: detailsOf(cause) }, 'unexpected error');
  return apiError('internal_error', 'Something went wrong on our side; quote the request_id when you report it.');
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

const detailsOf = (cause: unknown) =>
  cause instanceof Error ? { type: cause.name, message: cause.message, stack: cause.stack } : String(cause);

function openApiAnswer({ http }: Services): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, max-age=300' },
    body: http.openApi(),
  };
}

/** Redirects to the reference page for people. */
const toReference = ({ publicUrl }: Config): HttpResponse => ({
  status: 302,
  headers: { location: `${publicUrl}/docs` },
  body: null,
});
