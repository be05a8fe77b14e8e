import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { contextFor, type Services } from '../core/context.ts';
import { CarelaneError, notFound, refuse } from '../core/errors.ts';
import { newId, tenantOfToken } from '../core/ids.ts';
import { createRateLimiter } from '../core/rate-limit.ts';
import { createCaller } from '../router.ts';
import { respondError } from './respond.ts';
import type { Door, DoorRequest } from './wire.ts';

const PREFIX = '/api/links/';
const BODY_LIMIT_BYTES = 4096;
const TRIES_PER_MINUTE = 60;
const Body = z.strictObject({ token: z.string().max(200) });

/** The door of pages that a patient opens from a link: the link's token, POSTed, is the only credential. */
export function createLinkDoor(services: Services): Door {
  const limiter = createRateLimiter(services);
  async function open(request: DoorRequest, requestId: string): Promise<unknown> {
    const procedure = request.path.slice(PREFIX.length);
    if (request.method !== 'POST' || (procedure !== 'checkout.open' && procedure !== 'visits.open'))
      throw refuse('route_not_found', 'There is no such link.');
    if (!limiter.take(`link:${request.ip}`, TRIES_PER_MINUTE).allowed)
      throw refuse('rate_limited', 'Too many tries; wait a minute and open the link again.');
    const token = await readToken(request);
    const tenantId = tenantOfToken(token);
    if (!tenantId) throw notFound('link');
    const caller = createCaller(contextFor(services, { kind: 'visitor', tenantId }, { requestId }));
    return procedure === 'checkout.open' ? caller.checkout.open({ token }) : caller.visits.open({ token });
  }

  return async (request) => {
    const requestId = newId(services.clock.now());
    try {
      const body = JSON.stringify(await open(request, requestId));
      const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
      return { status: 200, headers: { ...headers, 'request-id': requestId }, body };
    } catch (error) {
      const cause = error instanceof TRPCError ? error.cause : error;
      const known = cause instanceof CarelaneError ? cause : null;
      if (!known) services.log.error({ requestId, err: (error as Error).message }, 'link not opened');
      return respondError(known ?? refuse('internal_error', 'Something went wrong on our side.'), requestId);
    }
  };
}

async function readToken(request: DoorRequest): Promise<string> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await request.body(BODY_LIMIT_BYTES));
    return Body.parse(JSON.parse(text)).token;
  } catch {
    throw refuse('malformed_request', 'Send {"token": "…"} as JSON.');
  }
}
