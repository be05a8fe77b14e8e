import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Services } from '../core/context.ts';
import { apiError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { createAuthHandler } from './auth-handler.ts';
import { createCalendarFeedHandler } from './calendar-feed-handler.ts';
import { createCallHandler } from './call-handler.ts';
import { defaultHeaders, permissionsPolicy } from './default-headers.ts';
import {
  createAppointmentsExportHandler,
  createAuditExportHandler,
  createChartExportHandler,
  createSubscriptionsExportHandler,
} from './export-handler.ts';
import { type Handler, toNodeHandler } from './handler.ts';
import { createHealthHandler } from './health-handler.ts';
import { createIdentityHandler } from './identity-handler.ts';
import { createLinkHandler } from './link-handler.ts';
import { createLiveHandler } from './live-handler.ts';
import { createLogoHandler } from './logo-handler.ts';
import { createPackageHandler } from './package-handler.ts';
import { hostErrorStatus, originForm, pageErrorStatus } from './request-target.ts';
import { respondError } from './respond.ts';
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
  const identity = toNodeHandler(createIdentityHandler(services), config);
  const handlers: [string, PageHandler][] = [
    ['/api/v1/', toNodeHandler(createRestHandler(services), config)],
    ['/identity/', identity],
    ['/.well-known/oauth-authorization-server/', identity],
    ['/api/trpc/', toNodeHandler(createPortalHandler(services), config)],
    ['/api/audit/', toNodeHandler(createAuditExportHandler(services), config)],
    ['/api/charts/', toNodeHandler(createChartExportHandler(services), config)],
    ['/api/appointments/', toNodeHandler(createAppointmentsExportHandler(services), config)],
    ['/api/subscriptions/', toNodeHandler(createSubscriptionsExportHandler(services), config)],
    ['/api/auth/', toNodeHandler(createAuthHandler(services), config)],
    ['/api/webhooks/', toNodeHandler(createWebhookHandler(services), config)],
    ['/api/links/', toNodeHandler(createLinkHandler(services), config)],
    ['/api/calendars/', toNodeHandler(createCalendarFeedHandler(services), config)],
    ['/api/unsubscribe/', toNodeHandler(createUnsubscribeHandler(services), config)],
    ['/api/calls/', toNodeHandler(createCallHandler(services), config)],
    ['/packages/', toNodeHandler(createPackageHandler(services), config)],
    ['/visit/', toNodeHandler(createFormerVisitLinksHandler(), config)],
    ['/api/live', toNodeHandler(createLiveHandler(services), config)],
    ['/api/logos/', toNodeHandler(createLogoHandler(services), config)],
    ['/api/sandbox/', toNodeHandler(createSandboxHandler(services), config)],
    ['/api/health', toNodeHandler(createHealthHandler(services, options.isOpen), config)],
    ['/api/', toNodeHandler(notFound(services), config)],
  ];
  const headers = Object.entries(defaultHeaders(config));

  /** Adds the default security headers to every response that did not set them. */
  class ResponseWithDefaults<Asked extends IncomingMessage = IncomingMessage> extends ServerResponse<Asked> {
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
    const matches = ([at]: [string, PageHandler]) => (at.endsWith('/') ? path.startsWith(at) : path === at);
    const handler = VISIT_PAGES.has(path) ? undefined : handlers.find(matches)?.[1];
    const errorStatus = hostErrorStatus(req, target) ?? (handler ? null : pageErrorStatus(req, path, options));
    if (errorStatus)
      return void res
        .writeHead(errorStatus, { connection: 'close', ...(errorStatus === 405 && { allow: 'GET, HEAD' }) })
        .end();
    (handler ?? page)(req, res).catch((error: Error) => {
      services.log.error({ err: error.message }, 'request ended without an answer');
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

/** Clients of `/api/` are programs, so an unknown path gets a JSON error. */
const notFound =
  (services: Services): Handler =>
  async ({ path }) => {
    const requestId = newId(services.clock.now());
    const response = respondError(apiError('route_not_found', `There is no ${path.slice(0, 200)}.`), requestId);
    return { ...response, headers: { ...response.headers, 'request-id': requestId } };
  };

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
