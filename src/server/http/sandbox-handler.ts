import { ListCodesInput } from '#contract/inbox.ts';
import type { Services } from '../core/context.ts';
import { apiError, CarelaneError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { listCodes } from '../messages/list-codes.ts';
import { getStripeScript } from '../providers/stripe-script.ts';
import { assertAddressLimit } from './address-limit.ts';
import type { Handler, HttpRequest, HttpResponse } from './handler.ts';
import { parseBody, parseInput, readText, SMALL_BODY_BYTES } from './read-json.ts';
import { respondError } from './respond.ts';

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

const ROUTES: Record<string, { methods: string[]; answer: Route }> = {
  '/api/sandbox/stripe.js': { methods: ['GET', 'HEAD'], answer: sendScript },
  '/api/sandbox/codes': { methods: ['POST'], answer: sendCodes },
};

/** Handles the sandbox's tools next to the API. In production every path is unknown. */
export function createSandboxHandler(services: Services): Handler {
  return async (request) => {
    const requestId = newId(services.clock.now());
    try {
      assertAddressLimit(services, request.ip);
      const found = services.config.environment === 'sandbox' ? ROUTES[request.path] : undefined;
      if (!found) throw apiError('route_not_found', `There is no ${request.path.slice(0, 200)}.`);
      const { methods, answer: route } = found;
      if (!methods.includes(request.method))
        throw new CarelaneError(
          { code: 'method_not_allowed', detail: `Send ${methods[0]}.` },
          { headers: { allow: methods.join(', ') } },
        );
      return await route(services, request);
    } catch (error) {
      if (error instanceof CarelaneError) return respondError(error, requestId);
      services.log.error({ requestId, err: (error as Error).message }, 'sandbox request failed');
      return respondError(apiError('internal_error', 'Something went wrong on our side.'), requestId);
    }
  };
}
