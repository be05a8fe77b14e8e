import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Services } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { answerHeaders, permissionsPolicy } from './answer-headers.ts';
import { createAppointmentsDoor } from './appointments.ts';
import { createAuditDoor } from './audit.ts';
import { createAuthDoor } from './auth.ts';
import { createCalendarFeedDoor } from './calendar-feed.ts';
import { createCallsDoor } from './calls.ts';
import { createChartDoor } from './chart.ts';
import { createHealthDoor } from './health.ts';
import { createIdentityDoor } from './identity.ts';
import { createLinkDoor } from './links.ts';
import { createLiveDoor } from './live.ts';
import { createLogoDoor } from './logos.ts';
import { createPackagesDoor } from './packages.ts';
import { hostFault, originForm, pageFault } from './request-target.ts';
import { respondError } from './respond.ts';
import { createRestDoor } from './rest.ts';
import { createSandboxDoor } from './sandbox.ts';
import { createSubscriptionsDoor } from './subscriptions.ts';
import { createPortalDoor } from './trpc.ts';
import { createUnsubscribeDoor } from './unsubscribe.ts';
import { createWebhookDoor } from './webhooks.ts';
import { asNode, type Door } from './wire.ts';

const LINK = /^\/visit\/([\w.-]{1,200})$/;

/** Paths below `/visit/` that are pages, not tokens. */
const VISIT_PAGES: ReadonlySet<string> = new Set(['/visit/test', '/visit/privacy']);

/**
 * Redirects old visit links, which had the token in the path, to the current form with the token in the fragment, which
 * browsers do not send. Any other path leads to the page, which reports an incomplete link.
 */
const createFormerVisitLinksDoor = (): Door => async (request) => {
  const token = LINK.exec(request.path)?.[1];
  const location = token ? `/visit#${token}` : '/visit';
  const headers = {
    location,
    'cache-control': 'no-store',
    // As on the page: the path holds the token, which must not reach other sites.
    'referrer-policy': 'no-referrer',
    'permissions-policy': permissionsPolicy(true),
  };
  return { status: 303, headers, body: null };
};

/** Slowloris protection: maximum time to receive the request headers. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than load balancers keep an idle connection, so that this server never closes one just as it is reused. */
const KEEP_ALIVE_MS = 65_000;

export type Answer = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/**
 * Creates the process's only server, with the request checks and response headers that every route shares. Its own
 * routes come before `page` because Next's routing costs more than the work itself.
 */
export function createFront(
  services: Services,
  page: Answer,
  options: { development?: boolean; isOpen?: () => boolean } = {},
): Server {
  const { config } = services;
  const identity = asNode(createIdentityDoor(services), config);
  const doors: [string, Answer][] = [
    ['/api/v1/', asNode(createRestDoor(services), config)],
    ['/identity/', identity],
    ['/.well-known/oauth-authorization-server/', identity],
    ['/api/trpc/', asNode(createPortalDoor(services), config)],
    ['/api/audit/', asNode(createAuditDoor(services), config)],
    ['/api/charts/', asNode(createChartDoor(services), config)],
    ['/api/appointments/', asNode(createAppointmentsDoor(services), config)],
    ['/api/subscriptions/', asNode(createSubscriptionsDoor(services), config)],
    ['/api/auth/', asNode(createAuthDoor(services), config)],
    ['/api/webhooks/', asNode(createWebhookDoor(services), config)],
    ['/api/links/', asNode(createLinkDoor(services), config)],
    ['/api/calendars/', asNode(createCalendarFeedDoor(services), config)],
    ['/api/unsubscribe/', asNode(createUnsubscribeDoor(services), config)],
    ['/api/calls/', asNode(createCallsDoor(services), config)],
    ['/packages/', asNode(createPackagesDoor(services), config)],
    ['/visit/', asNode(createFormerVisitLinksDoor(), config)],
    ['/api/live', asNode(createLiveDoor(services), config)],
    ['/api/logos/', asNode(createLogoDoor(services), config)],
    ['/api/sandbox/', asNode(createSandboxDoor(services), config)],
    ['/api/health', asNode(createHealthDoor(services, options.isOpen), config)],
    ['/api/', asNode(notFound(services), config)],
  ];
  const headers = Object.entries(answerHeaders(config));

  /** Adds the default security headers to every response that did not set them. */
  class FullAnswer<Asked extends IncomingMessage = IncomingMessage> extends ServerResponse<Asked> {
    override writeHead(...given: unknown[]): this {
      for (const [name, value] of this.headersSent ? [] : headers)
        if (!this.hasHeader(name)) this.setHeader(name, value);
      return super.writeHead(...(given as [number]));
    }
  }

  const server = createServer({ ServerResponse: FullAnswer }, (req, res) => {
    // Next passes the peer's address in this header; with no proxy in front, the client must not choose it.
    if (!config.trustProxy) delete req.headers['x-forwarded-for'];
    const target = req.url ?? '/';
    req.url = originForm(target);
    const path = req.url.split('?')[0]!;
    const isDoor = ([at]: [string, Answer]) => (at.endsWith('/') ? path.startsWith(at) : path === at);
    const door = VISIT_PAGES.has(path) ? undefined : doors.find(isDoor)?.[1];
    const fault = hostFault(req, target) ?? (door ? null : pageFault(req, path, options));
    if (fault)
      return void res.writeHead(fault, { connection: 'close', ...(fault === 405 && { allow: 'GET, HEAD' }) }).end();
    (door ?? page)(req, res).catch((error: Error) => {
      services.log.error({ err: error.message }, 'request ended without an answer');
      if (!res.headersSent) res.writeHead(500);
      res.end();
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerUnreadable(error, socket, headers));
  return server;
}

/** Clients of `/api/` are programs, so an unknown path gets a JSON error. */
const notFound =
  (services: Services): Door =>
  async ({ path }) => {
    const requestId = newId(services.clock.now());
    const refusal = respondError(refuse('route_not_found', `There is no ${path.slice(0, 200)}.`), requestId);
    return { ...refusal, headers: { ...refusal.headers, 'request-id': requestId } };
  };

const UNREADABLE: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Malformed HTTP has no response object, only a socket. Does what Node does by default, plus the headers. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex, headers: [string, string][]): void {
  const begun = (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent;
  if (!socket.writable || begun) return void socket.destroy();
  const lines = [...headers, ['connection', 'close'], ['content-length', '0']].map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end(`HTTP/1.1 ${UNREADABLE[error.code ?? ''] ?? '400 Bad Request'}\r\n${lines.join('\r\n')}\r\n\r\n`);
}
