import type { Services } from '../core/context.ts';
import { CarelaneError, refuse } from '../core/errors.ts';
import { isId, newId } from '../core/ids.ts';
import { createRateLimiter } from '../core/rate-limit.ts';
import { webhookReceivers } from '../router.ts';
import { respondError } from './respond.ts';
import { BodyTooLarge, type Door, type DoorRequest, type DoorResponse } from './wire.ts';

const PREFIX = '/api/webhooks';
const BODY_LIMIT_BYTES = 1024 * 1024;
/** An address names its tenant, so that made-up ones would each have a database client made for them. */
const UNSIGNED_PER_MINUTE = 300;

/** The providers' door: a signature over the raw body, and an answer only after the event is stored. */
export function createWebhookDoor(services: Services): Door {
  const limiter = createRateLimiter(services);
  async function receiveFromAcuity(request: DoorRequest, tenantId: string, rawBody: string): Promise<void> {
    const key = `unsigned-webhook:${request.ip}`;
    const { allowed, resetSeconds } = limiter.take(key, UNSIGNED_PER_MINUTE);
    if (!allowed)
      throw new CarelaneError(
        { code: 'rate_limited', detail: `Too many unsigned events; try again in ${resetSeconds} seconds.` },
        { headers: { 'retry-after': String(resetSeconds) } },
      );
    await webhookReceivers.acuity(services, { tenantId, rawBody, header: (name) => request.header(name) });
    limiter.giveBack(key);
  }
  async function receive(request: DoorRequest): Promise<DoorResponse> {
    if (request.method !== 'POST')
      throw new CarelaneError(
        { code: 'method_not_allowed', detail: 'Webhooks are POSTed.' },
        { headers: { allow: 'POST' } },
      );
    const [provider, tenantId, ...rest] = request.path.slice(PREFIX.length + 1).split('/');
    const rawBody = await readRaw(request);
    const header = (name: string) => request.header(name);
    if (provider === 'stripe' && tenantId === undefined) await webhookReceivers.stripe(services, { rawBody, header });
    else if (provider === 'acuity' && tenantId && isId(tenantId) && rest.length === 0)
      await receiveFromAcuity(request, tenantId, rawBody);
    else throw refuse('route_not_found', 'No provider sends to this address.');
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"received":true}' };
  }

  return async (request) => {
    const requestId = newId(services.clock.now());
    try {
      const response = await receive(request);
      return { ...response, headers: { ...response.headers, 'request-id': requestId } };
    } catch (error) {
      const known = error instanceof CarelaneError ? error : null;
      if (!known) services.log.error({ requestId, err: (error as Error).message }, 'webhook not taken');
      const shown = known ?? refuse('internal_error', 'The event could not be stored; send it again.');
      const response = respondError(shown, requestId);
      return { ...response, headers: { ...response.headers, 'request-id': requestId } };
    }
  };
}

async function readRaw(request: DoorRequest): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await request.body(BODY_LIMIT_BYTES));
  } catch (error) {
    if (error instanceof BodyTooLarge) throw refuse('body_too_large', 'The body is larger than 1 MiB.');
    throw refuse('malformed_request', 'The body could not be read as UTF-8.');
  }
}
