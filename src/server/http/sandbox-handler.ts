import { ListCodesInput } from '#contract/inbox.ts';
import { listCodes } from '#server/messages/index.ts';
import type { Services } from '../core/context.ts';
import { apiError } from '../core/errors.ts';
import { getStripeScript } from '../providers/stripe-script.ts';
import { assertMethod, createHandler } from './create-handler.ts';
import type { Handler, HttpRequest, HttpResponse } from './handler.ts';
import { parseBody, parseInput, readText, SMALL_BODY_BYTES } from './read-json.ts';

/** Headers that proxies and tunnels add. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

type Route = (services: Services, request: HttpRequest) => Promise<HttpResponse>;

/** Apps of other origins load the script, with or without `crossorigin`, and some pages enforce COEP. */
const sendScript: Route = async ({ config }) => ({
  status: 200,
  headers: {
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  },
  body: await getStripeScript(config),
});

const sendCodes: Route = async (services, request) => {
  const body = parseBody(await readText(request, SMALL_BODY_BYTES), request);
  const data = parseInput(ListCodesInput, body);
  const codes = await listCodes(services, data, {
    ip: request.ip,
    host: request.header('host'),
    origin: request.header('origin'),
    isForwarded: FORWARDED.some((name) => request.header(name) !== null),
  });
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(codes) };
};

const ROUTES: Record<string, { methods: string[]; run: Route }> = {
  '/api/sandbox/stripe.js': { methods: ['GET', 'HEAD'], run: sendScript },
  '/api/sandbox/codes': { methods: ['POST'], run: sendCodes },
};

/** Handles the sandbox's tools next to the API. In production every path is unknown. */
export function createSandboxHandler(services: Services): Handler {
  return createHandler(services, {
    name: 'sandbox',
    async handle(request) {
      const route = services.config.environment === 'sandbox' ? ROUTES[request.path] : undefined;
      if (!route) throw apiError('route_not_found', `There is no ${request.path.slice(0, 200)}.`);
      assertMethod(request.method, route.methods);
      return route.run(services, request);
    },
  });
}
