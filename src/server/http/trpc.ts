import { TRPCError } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import type { ErrorCode } from '#contract/errors.ts';
import { type Context, contextFor, type Services } from '../core/context.ts';
import { CarelaneError, refuse } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { staffActor } from '../identity/staff-actor.ts';
import { appRouter } from '../router.ts';
import { readStaffSession } from './staff-session.ts';

const PREFIX = '/api/trpc';
const BODY_LIMIT_BYTES = 1024 * 1024;
const MAX_BATCH = 20;

/** The portal's door: a staff session and nothing else, to the procedures that the REST door calls too. */
export function createPortalDoor(services: Services): (request: Request) => Promise<Response> {
  return async (request) => {
    const requestId = newId(services.clock.now());
    let renewed: string | null = null;
    const response = await fetchRequestHandler({
      endpoint: PREFIX,
      req: request,
      router: appRouter,
      maxBatchSize: MAX_BATCH,
      async createContext(): Promise<Context> {
        checkRequest(request, services);
        const session = await readStaffSession(services, request);
        const actor = session && (await staffActor(services, session));
        if (!session || !actor) throw asTrpc('UNAUTHORIZED', 'missing_token', 'Sign in to go on.');
        renewed = session.renewed;
        return contextFor(services, actor, { requestId });
      },
      onError({ error, path }) {
        if (error.cause instanceof CarelaneError || error.code !== 'INTERNAL_SERVER_ERROR') return;
        services.log.error({ requestId, path, err: (error.cause ?? error).stack }, 'unexpected error');
      },
    });
    response.headers.set('request-id', requestId);
    response.headers.set('cache-control', 'no-store');
    if (renewed) response.headers.append('set-cookie', renewed);
    return response;
  };
}

/** A browser sends the cookie along with what another site makes it send; only our own pages can do this. */
function checkRequest(request: Request, services: Services): void {
  if (request.headers.has('authorization'))
    throw asTrpc('UNAUTHORIZED', 'invalid_token', 'The portal takes a staff session; send tokens to /api/v1.');
  if (Number(request.headers.get('content-length') ?? 0) > BODY_LIMIT_BYTES)
    throw asTrpc('PAYLOAD_TOO_LARGE', 'body_too_large', 'The body is larger than 1 MiB.');
  if (request.method === 'GET' || request.headers.get('x-carelane-portal') === '1') return;
  if (request.headers.get('origin') === new URL(services.config.publicUrl).origin) return;
  throw asTrpc('FORBIDDEN', 'forbidden', 'Changes are taken from the portal itself only.');
}

const asTrpc = (code: TRPCError['code'], errorCode: ErrorCode, detail: string) =>
  new TRPCError({ code, message: detail, cause: refuse(errorCode, detail) });
