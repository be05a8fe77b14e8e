import { TRPCError } from '@trpc/server';
import type { Services } from '../core/context.ts';
import { apiError, CarelaneError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { Handler, HttpRequest, HttpResponse } from './handler.ts';
import { respondError } from './respond.ts';

/**
 * Wraps a handler for links that programs follow without a sign-in: responses have `no-store`, errors have the
 * contract's shape. `fault` is the log message of an internal error.
 */
export function createVisitorHandler(
  services: Services,
  logMessage: string,
  handle: (request: HttpRequest, requestId: string) => Promise<HttpResponse>,
): Handler {
  return async (request) => {
    const requestId = newId(services.clock.now());
    try {
      const { status, headers, body } = await handle(request, requestId);
      return { status, headers: { ...headers, 'cache-control': 'no-store', 'request-id': requestId }, body };
    } catch (error) {
      const cause = error instanceof TRPCError ? error.cause : error;
      if (cause instanceof CarelaneError) return respondError(cause, requestId);
      services.log.error({ requestId, err: (error as Error).message }, logMessage);
      return respondError(apiError('internal_error', 'Something went wrong on our side.'), requestId);
    }
  };
}
