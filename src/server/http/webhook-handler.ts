import type { Services } from '../core/context.ts';
import { apiError, CarelaneError } from '../core/errors.ts';
import { isId, newId } from '../core/ids.ts';
import { sourceOf } from '../core/ip-address.ts';
import { webhookReceivers } from '../router.ts';
import { assertRequestLimit } from './address-limit.ts';
import type { Handler, HttpRequest, HttpResponse } from './handler.ts';
import { LARGE_BODY_BYTES, readText, SMALL_BODY_BYTES } from './read-json.ts';
import { respondError } from './respond.ts';

const PREFIX = '/api/webhooks';
/** Each request costs a tenant's client and a signature check, so unauthenticated clients get few of them. */
const UNSIGNED_PER_MINUTE = 300;

/** Handles providers' webhooks: verifies a signature over the raw body and responds only after the event is stored. */
export function createWebhookHandler(services: Services): Handler {
  async function receive(request: HttpRequest): Promise<HttpResponse> {
    if (request.method !== 'POST')
      throw new CarelaneError(
        { code: 'method_not_allowed', detail: 'Webhooks are POSTed.' },
        { headers: { allow: 'POST' } },
      );
    const [provider, tenantId, ...rest] = request.path.slice(PREFIX.length + 1).split('/');
    const header = (name: string) => request.header(name);
    // Ids are lower case; a copied one may be upper case.
    const tenant = tenantId && isId(tenantId) && rest.length === 0 ? tenantId.toLowerCase() : null;
    if (provider === 'stripe' && tenantId === undefined)
      await signed(request, (rawBody) => webhookReceivers.stripe(services, { rawBody, header }));
    else if (provider === 'acuity' && tenant)
      await signed(request, (rawBody) => webhookReceivers.acuity(services, { tenantId: tenant, rawBody, header }));
    else if (provider === 'mail' && tenantId === undefined)
      await signed(request, (rawBody) => webhookReceivers.mail(services, { rawBody, header }));
    else if (provider === 'twilio' && tenantId === undefined) {
      const about = request.query.get('about');
      const receiveTwilio = (rawBody: string) => webhookReceivers.twilio(services, { rawBody, about, header });
      // The form's fields are parsed and sorted before the signature is verified.
      const body = await signed(request, receiveTwilio, SMALL_BODY_BYTES);
      return { status: 200, headers: { 'content-type': 'text/xml; charset=utf-8' }, body };
    } else throw apiError('route_not_found', 'No provider sends to this address.');
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"received":true}' };
  }

  /** Counts the address before the body is read; an accepted event does not count. */
  async function signed<Taken>(
    request: HttpRequest,
    receiver: (rawBody: string) => Promise<Taken>,
    maxBytes = LARGE_BODY_BYTES,
  ): Promise<Taken> {
    const key = `unsigned-webhook:${sourceOf(request.ip)}`;
    assertRequestLimit(services, key, UNSIGNED_PER_MINUTE);
    const result = await receiver(await readText(request, maxBytes));
    services.limits.minute.refund(key);
    return result;
  }

  return async (request) => {
    const requestId = newId(services.clock.now());
    try {
      const response = await receive(request);
      return { ...response, headers: { ...response.headers, 'request-id': requestId } };
    } catch (error) {
      const known = error instanceof CarelaneError ? error : null;
      if (!known) services.log.error({ requestId, err: (error as Error).message }, 'webhook not taken');
      const shown = known ?? apiError('internal_error', 'The event could not be stored; send it again.');
      const response = respondError(shown, requestId);
      return { ...response, headers: { ...response.headers, 'request-id': requestId } };
    }
  };
}
