import { TRPCError } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { MAX_BATCHED_CALLS } from '#contract/limits.ts';
import type { Actor } from '../core/actor.ts';
import { contextFor, type Services } from '../core/context.ts';
import { apiError, CarelaneError } from '../core/errors.ts';
import { trpcCodeOf } from '../core/trpc.ts';
import { appRouter } from '../router.ts';
import { assertAddressLimit } from './address-limit.ts';
import { causeOf, createHandler, logUnexpectedError, type RequestInfo } from './create-handler.ts';
import type { Handler, HttpRequest, HttpResponse } from './handler.ts';
import { parseBody, readText } from './read-json.ts';
import { ACTIVITY_HEADER, findStaff, isOwner } from './staff-session.ts';

const NAME = 'portal';
const PREFIX = '/api/trpc';
/** The tenant and the user of the page that sends the call: another may have signed in since. */
const OWNER_HEADER = 'x-carelane-user';
/** The only request headers that the calls see. */
const HEADERS = [
  'authorization',
  'content-type',
  'cookie',
  'origin',
  'x-carelane-portal',
  OWNER_HEADER,
  ACTIVITY_HEADER,
];
/** Lets a page warn the user in time: whole seconds until the session ends without activity. */
const ENDS_IN_HEADER = 'x-carelane-session-ends-in';

/** Sent by an automatic refetch of data that the page already shows; the audit log need not record it again at once. */
const REFETCH_HEADER = 'x-carelane-refetch';

type Admitted = { actor: Actor; renewed: string | null; endsInS: number; body: string | undefined };

/** Handles the portal's calls: requires a staff session and calls the same procedures as REST. */
export function createPortalHandler(services: Services): Handler {
  async function handle(request: HttpRequest, { requestId }: RequestInfo): Promise<HttpResponse> {
    const head = headersOnlyRequest(services, request);
    const requestInfo = {
      requestId,
      ip: request.ip,
      userAgent: request.header('user-agent'),
      isRefetch: request.header(REFETCH_HEADER) === '1',
      reauthenticate: async () => (await authenticateStaff(services, head)).actor,
    } satisfies Parameters<typeof contextFor>[2];
    // The body is read only after authentication.
    const admitted = await admit(services, request, head).catch((error: unknown) => ({ error }));
    const response = await fetchRequestHandler({
      endpoint: PREFIX,
      req: 'error' in admitted || admitted.body === undefined ? head : new Request(head, { body: admitted.body }),
      router: appRouter,
      maxBatchSize: MAX_BATCHED_CALLS,
      async createContext({ info }) {
        if ('error' in admitted) throw admitted.error;
        return { ...contextFor(services, admitted.actor, requestInfo), callsInResponse: info.calls.length };
      },
      onError({ error, path }) {
        if (error.cause instanceof CarelaneError || error.code !== 'INTERNAL_SERVER_ERROR') return;
        logUnexpectedError(services, { requestId, handler: NAME, path }, causeOf(error));
      },
    });
    const headers: HttpResponse['headers'] = Object.fromEntries(response.headers);
    if ('error' in admitted) Object.assign(headers, headersOf(admitted.error));
    else {
      headers[ENDS_IN_HEADER] = `${admitted.endsInS}`;
      if (admitted.renewed) headers['set-cookie'] = admitted.renewed;
    }
    return { status: response.status, headers, body: response.body && (await response.text()) };
  }

  return createHandler(services, {
    name: NAME,
    // Counted in `admit`, which responds in tRPC's format.
    hasAddressLimit: () => false,
    methods: ['GET', 'HEAD', 'POST'],
    handle,
  });
}

/** Returns the request without its body, as tRPC takes it. */
export function headersOnlyRequest({ config }: Services, request: HttpRequest): Request {
  const headers = HEADERS.flatMap((name): [string, string][] => {
    const value = request.header(name);
    return value === null ? [] : [[name, value]];
  });
  const query = request.query.size > 0 ? `?${request.query}` : '';
  const address = new URL(config.publicUrl + request.path + query);
  return new Request(address, { method: request.method, headers });
}

/** Returns the session that the cookie names and its staff user. @throws `missing_token`, also on a page of another user */
export async function authenticateStaff(services: Services, head: Request) {
  const staff = await findStaff(services, head);
  if (!staff || !isOwner(staff.session, head.headers.get(OWNER_HEADER)))
    throw apiError('missing_token', 'Sign in to go on.');
  return staff;
}

async function admit(services: Services, request: HttpRequest, head: Request): Promise<Admitted> {
  try {
    assertAddressLimit(services, request.ip);
    checkOrigin(services, request);
    const { session, actor } = await authenticateStaff(services, head);
    const text = request.method === 'POST' ? await readText(request) : '';
    if (text.trim() !== '') parseBody(text, request);
    const { renewed, endsInS } = session;
    return { actor, renewed, endsInS, body: text === '' ? undefined : text };
  } catch (error) {
    throw error instanceof CarelaneError ? asTrpc(error) : error;
  }
}

/**
 * CSRF protection: browsers send the cookie with requests that other sites trigger; only the portal's pages pass this
 * check.
 * @throws `invalid_token`, `forbidden`
 */
function checkOrigin(services: Services, request: HttpRequest): void {
  if (request.header('authorization') !== null)
    throw apiError('invalid_token', 'The portal takes a staff session; send tokens to /api/v1.');
  if (request.method !== 'POST' || request.header('x-carelane-portal') === '1') return;
  if (request.header('origin') === new URL(services.config.publicUrl).origin) return;
  throw apiError('forbidden', 'Changes are taken from the portal itself only.');
}

const asTrpc = (cause: CarelaneError) => new TRPCError({ code: trpcCodeOf(cause.code), message: cause.message, cause });

const headersOf = (error: unknown): Record<string, string> =>
  error instanceof TRPCError && error.cause instanceof CarelaneError ? error.cause.headers : {};
