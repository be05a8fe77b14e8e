import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Services } from '../core/context.ts';
import { apiError } from '../core/errors.ts';
import { createAuthHandler } from './auth-handler.ts';
import { createCalendarFeedHandler } from './calendar-feed-handler.ts';
import { createCallHandler } from './call-handler.ts';
import { createHandler } from './create-handler.ts';
import { defaultHeaders, permissionsPolicy } from './default-headers.ts';
import {
  createAppointmentsExportHandler,
  createAuditExportHandler,
  createChartExportHandler,
  createSubscriptionsExportHandler,
} from './export-handler.ts';
import { type AnyHandler, type Handler, toNodeHandler } from './handler.ts';
import { createIdentityHandler } from './identity-handler.ts';
import { createLinkHandler } from './link-handler.ts';
import { createLiveHandler } from './live-handler.ts';
import { createLogoHandler } from './logo-handler.ts';
import { createPackageHandler } from './package-handler.ts';
import { hostErrorStatus, originForm, pageErrorStatus } from './request-target.ts';
import { createRestHandler } from './rest-handler.ts';
import { createSandboxHandler } from './sandbox-handler.ts';
import { createPortalHandler } from './trpc-handler.ts';
import { createUnsubscribeHandler } from './unsubscribe-handler.ts';
import { createWebhookHandler } from './webhook-handler.ts';

const LINK = /^\/visit\/([\w.-]{1,200})$/;

/** Paths below `/visit/` that are pages, not tokens. */
const VISIT_PAGES: ReadonlySet<string> = new Set(['/visit/test', '/visit/privacy']);

/**
 * Redirects old visit links, which had the token in the path, to the current form with the token in the fragment, which
 * browsers do not send. Any other path leads to the page, which reports an incomplete link.
 */
const createFormerVisitLinksHandler = (): Handler => async (request) => {
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

type PageHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/**
 * Creates the process's only server, with the request checks and response headers that every route shares. Its own
 * routes come before `page` because Next's routing costs more than the work itself.
 */
export function createHttpServer(
  services: Services,
  page: PageHandler,
  options: { development?: boolean; isOpen?: () => boolean } = {},
): Server {
  const { config } = services;
  const identity = createIdentityHandler(services);
  const routes: [string, AnyHandler][] = [
    ['/api/v1/', createRestHandler(services)],
    ['/identity/', identity],
    ['/.well-known/oauth-authorization-server/', identity],
    ['/api/trpc/', createPortalHandler(services)],
    ['/api/audit/', createAuditExportHandler(services)],
    ['/api/charts/', createChartExportHandler(services)],
    ['/api/appointments/', createAppointmentsExportHandler(services)],
    ['/api/subscriptions/', createSubscriptionsExportHandler(services)],
    ['/api/auth/', createAuthHandler(services)],
    ['/api/webhooks/', createWebhookHandler(services)],
    ['/api/links/', createLinkHandler(services)],
    ['/api/calendars/', createCalendarFeedHandler(services)],
    ['/api/unsubscribe/', createUnsubscribeHandler(services)],
    ['/api/calls/', createCallHandler(services)],
    ['/packages/', createPackageHandler(services)],
    ['/visit/', createFormerVisitLinksHandler()],
    ['/api/live', createLiveHandler(services)],
    ['/api/logos/', createLogoHandler(services)],
    ['/api/sandbox/', createSandboxHandler(services)],
    ['/api/health', createHealthHandler(services, options.isOpen)],
    ['/api/', createNotFoundHandler(services)],
  ];
  const handlers = routes.map(([at, handler]) => [at, toNodeHandler(handler, config)] as const);
  const headers = Object.entries(defaultHeaders(config));

  /** Adds the default security headers to every response that did not set them. */
  class ResponseWithDefaults<Req extends IncomingMessage = IncomingMessage> extends ServerResponse<Req> {
    override writeHead(...args: unknown[]): this {
      for (const [name, value] of this.headersSent ? [] : headers)
        if (!this.hasHeader(name)) this.setHeader(name, value);
      return super.writeHead(...(args as [number]));
    }
  }

  const server = createServer({ ServerResponse: ResponseWithDefaults }, (req, res) => {
    // Next passes the peer's address in this header; with no proxy in front, the client must not choose it.
    if (!config.trustProxy) delete req.headers['x-forwarded-for'];
    const target = req.url ?? '/';
    req.url = originForm(target);
    const [path = ''] = req.url.split('?');
    const matches = ([at]: readonly [string, PageHandler]) => (at.endsWith('/') ? path.startsWith(at) : path === at);
    const handler = VISIT_PAGES.has(path) ? undefined : handlers.find(matches)?.[1];
    const errorStatus = hostErrorStatus(req, target) ?? (handler ? null : pageErrorStatus(req, path, options));
    if (errorStatus)
      return void res
        .writeHead(errorStatus, { connection: 'close', ...(errorStatus === 405 && { allow: 'GET, HEAD' }) })
        .end();
    (handler ?? page)(req, res).catch((error: Error) => {
      services.log.error({ err: error.message }, 'request ended without a response');
      if (!res.headersSent) res.writeHead(500);
      res.end();
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => rejectUnreadable(error, socket, headers));
  return server;
}

/** Serves load balancers: 200 while the database responds and requests are accepted, 503 otherwise, without details. */
const createHealthHandler =
  (services: Services, isOpen: () => boolean = () => true): Handler =>
  async () => {
    const isHealthy =
      isOpen() &&
      (await services.database.system.$queryRaw`select 1`.then(
        () => true,
        () => false,
      ));
    return {
      status: isHealthy ? 200 : 503,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: JSON.stringify({ status: isHealthy ? 'ok' : 'unavailable' }),
    };
  };

/** Clients of `/api/` are programs, so an unknown path gets a JSON error. */
const createNotFoundHandler = (services: Services): Handler =>
  createHandler(services, {
    name: 'not found',
    hasAddressLimit: () => false,
    handle({ path }) {
      throw apiError('route_not_found', `There is no ${path.slice(0, 200)}.`);
    },
  });

const UNREADABLE: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Malformed HTTP has no response object, only a socket. Does what Node does by default, plus the headers. */
function rejectUnreadable(error: NodeJS.ErrnoException, socket: Duplex, headers: [string, string][]): void {
  const isStarted = (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent;
  if (!socket.writable || isStarted) return void socket.destroy();
  const lines = [...headers, ['connection', 'close'], ['content-length', '0']].map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end(`HTTP/1.1 ${UNREADABLE[error.code ?? ''] ?? '400 Bad Request'}\r\n${lines.join('\r\n')}\r\n\r\n`);
}
