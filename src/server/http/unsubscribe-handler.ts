import { contextFor, type Services } from '../core/context.ts';
import { apiError, notFound } from '../core/errors.ts';
import { tenantOfToken } from '../core/ids.ts';
import { sourceOf } from '../core/ip-address.ts';
import { createCaller } from '../router.ts';
import { assertRequestLimit } from './address-limit.ts';
import { createHandler } from './create-handler.ts';
import type { Handler, HttpResponse } from './handler.ts';
import { readText } from './read-json.ts';

const PREFIX = '/api/unsubscribe/';
const MAX_TOKEN_LENGTH = 200;
/** A form of one short field, in either encoding. */
const MAX_BODY_BYTES = 4 * 1024;
const ONE_CLICK = /^List-Unsubscribe=One-Click$/i;
/** Limits blanks and matches whole lines, so that no body takes long to match. */
const ONE_CLICK_PART = /name="?List-Unsubscribe"?[ \t]{0,9}\r?\n\r?\n[ \t]{0,9}One-Click[ \t]{0,9}\r?\n/i;

/**
 * Handles an email's `List-Unsubscribe` link (RFC 8058): a mail program POSTs when its user presses the button, without
 * cookies or a sign-in. A GET leads to the page of choices, which changes nothing until the visitor confirms.
 */
export function createUnsubscribeHandler(services: Services): Handler {
  return createHandler(services, {
    name: 'unsubscribe',
    methods: ['GET', 'HEAD', 'POST'],
    async handle(request, { requestId }): Promise<HttpResponse> {
      const token = request.path.slice(PREFIX.length);
      const tenantId = token.length <= MAX_TOKEN_LENGTH ? tenantOfToken(token) : null;
      if (request.method !== 'POST')
        return { status: 303, headers: { location: `/choices#${tenantId ? token : ''}` }, body: null };
      assertRequestLimit(services, { name: 'unsubscribe_requests', key: [sourceOf(request.ip)] });
      const body = await readText(request, MAX_BODY_BYTES);
      if (!tenantId) throw notFound('link');
      if (!isOneClick(body, request.header('content-type') ?? ''))
        throw apiError('malformed_request', 'The body must be List-Unsubscribe=One-Click.');
      const requestInfo = { requestId, ip: request.ip, userAgent: request.header('user-agent') };
      const ctx = contextFor(services, { kind: 'visitor', tenantId }, requestInfo);
      await createCaller(ctx).messageChoices.unsubscribe({ token });
      return {
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: 'You get no more of these.\n',
      };
    },
  });
}

/** Accepts both form encodings (RFC 8058 §3.2). */
function isOneClick(body: string, type: string): boolean {
  if (type.startsWith('multipart/form-data')) return ONE_CLICK_PART.test(body);
  return ONE_CLICK.test(body.trim());
}
