import type { Services } from '../core/context.ts';
import { apiError } from '../core/errors.ts';
import { isId } from '../core/ids.ts';
import { sourceOf } from '../core/ip-address.ts';
import { webhookReceivers } from '../router.ts';
import { assertRequestLimit } from './address-limit.ts';
import { createHandler } from './create-handler.ts';
import type { Handler, HttpRequest, HttpResponse } from './handler.ts';
import { LARGE_BODY_BYTES, readText, SMALL_BODY_BYTES } from './read-json.ts';

const PREFIX = '/api/webhooks';

/** Handles providers' webhooks: verifies a signature over the raw body and responds only after the event is stored. */
export function createWebhookHandler(services: Services): Handler {
  async function receive(request: HttpRequest): Promise<HttpResponse> {
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
  async function signed<Result>(
    request: HttpRequest,
    receiver: (rawBody: string) => Promise<Result>,
    maxBytes = LARGE_BODY_BYTES,
  ): Promise<Result> {
    const { uncount } = assertRequestLimit(services, { name: 'rejected_webhooks', key: [sourceOf(request.ip)] });
    const result = await receiver(await readText(request, maxBytes));
    uncount();
    return result;
  }

  return createHandler(services, {
    name: 'webhook',
    // A provider sends for many tenants from one address; only rejected requests count.
    hasAddressLimit: () => false,
    methods: ['POST'],
    internalError: 'The event could not be stored; send it again.',
    handle: receive,
  });
}
