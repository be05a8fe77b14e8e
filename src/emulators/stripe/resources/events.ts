import { z } from 'zod';
import { matchesType } from '../dropped-webhooks.ts';
import { EVENT_SECONDS } from '../events.ts';
import { newId, randomText } from '../ids.ts';
import type { Metadata, WebhookEndpoint } from '../objects.ts';
import { API_VERSION } from '../options.ts';
import { invalidRequest, noSuch } from '../wire/errors.ts';
import { listPage, within } from '../wire/list.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { flag, mergeMetadata, metadata, paging, range, text, unset } from '../wire/params.ts';
import { present } from '../wire/present.ts';

export const events: Operation[] = [
  operation(
    'GET',
    '/v1/events',
    {
      ...paging,
      created: range.optional(),
      delivery_success: flag.optional(),
      type: text.optional(),
      types: z.array(text).max(20).optional(),
    },
    ({ input, ledger }) => {
      if (input.type !== undefined && input.types)
        throw invalidRequest('You may only specify one of these parameters: type, types.');
      const oldest = ledger.now() - EVENT_SECONDS;
      return listPage(
        ledger,
        'event',
        '/v1/events',
        input,
        ({ type, created, pending_webhooks, _at }) =>
          (_at ?? created) > oldest &&
          (input.type === undefined || matchesType(type, input.type)) &&
          (input.types?.some((wanted) => matchesType(type, wanted)) ?? true) &&
          (input.delivery_success === undefined || input.delivery_success === (pending_webhooks === 0)) &&
          within(created, input.created),
      );
    },
  ),
  operation('GET', '/v1/events/:id', {}, ({ path, ledger }) => {
    const event = ledger.find('event', path.id, 'id');
    if ((event._at ?? event.created) <= ledger.now() - EVENT_SECONDS) throw noSuch('event', event.id, 'id');
    return present(event, ledger.data);
  }),
];

const url = text.regex(/^https?:\/\//, 'Invalid URL');
const enabled_events = z.array(text).min(1);

export const webhookEndpoints: Operation[] = [
  operation(
    'POST',
    '/v1/webhook_endpoints',
    {
      api_version: text.optional(),
      connect: flag.optional(),
      description: text.optional(),
      enabled_events,
      metadata: metadata.optional(),
      url,
    },
    ({ input, ledger }) => {
      if (input.api_version !== undefined && input.api_version !== API_VERSION) {
        throw invalidRequest(`Only ${API_VERSION} is emulated.`, { param: 'api_version' });
      }
      const endpoint: WebhookEndpoint = ledger.put('webhook_endpoint', {
        id: newId('we'),
        object: 'webhook_endpoint',
        api_version: input.api_version ?? null,
        application: null,
        created: ledger.now(),
        description: input.description ?? null,
        enabled_events: input.enabled_events,
        livemode: false,
        metadata: input.metadata ?? {},
        status: 'enabled',
        url: input.url,
        _connect: input.connect ?? false,
        _secret: `whsec_${randomText(32)}`,
      });
      // The secret is returned only here.
      return { ...present(endpoint, ledger.data), secret: endpoint._secret };
    },
  ),
  operation('GET', '/v1/webhook_endpoints', paging, ({ input, ledger }) =>
    listPage(ledger, 'webhook_endpoint', '/v1/webhook_endpoints', input, () => true),
  ),
  operation('GET', '/v1/webhook_endpoints/:id', {}, ({ path, ledger }) =>
    present(ledger.find('webhook_endpoint', path.id, 'id'), ledger.data),
  ),
  operation(
    'POST',
    '/v1/webhook_endpoints/:id',
    {
      description: z.union([unset, text]).optional(),
      disabled: flag.optional(),
      enabled_events: enabled_events.optional(),
      metadata: metadata.optional(),
      url: url.optional(),
    },
    ({ input, path, ledger }) => {
      const endpoint = ledger.find('webhook_endpoint', path.id, 'id');
      endpoint.url = input.url ?? endpoint.url;
      endpoint.enabled_events = input.enabled_events ?? endpoint.enabled_events;
      if (input.description !== undefined) endpoint.description = input.description;
      endpoint.metadata = mergeMetadata(endpoint.metadata as Metadata, input.metadata);
      if (input.disabled !== undefined) endpoint.status = input.disabled ? 'disabled' : 'enabled';
      return present(endpoint, ledger.data);
    },
  ),
  operation('DELETE', '/v1/webhook_endpoints/:id', {}, ({ path, ledger }) => {
    const { id } = ledger.find('webhook_endpoint', path.id, 'id');
    delete ledger.data.objects.webhook_endpoint[id];
    return { id, object: 'webhook_endpoint', deleted: true };
  }),
];
