import { TRPCError } from '@trpc/server';
import type { Services } from '../core/context.ts';
import { CarelaneError, refuse } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { respondError } from './respond.ts';
import type { Door, DoorRequest, DoorResponse } from './wire.ts';

/**
 * A door for whoever has a link, mostly a program: nothing of it is kept on the way, and what goes wrong is answered in the
 * contract's shape. `fault` is said to the log where it is ours.
 */
export function answerVisitor(
  services: Services,
  fault: string,
  take: (request: DoorRequest, requestId: string) => Promise<DoorResponse>,
): Door {
  return async (request) => {
    const requestId = newId(services.clock.now());
    try {
      const { status, headers, body } = await take(request, requestId);
      return { status, headers: { ...headers, 'cache-control': 'no-store', 'request-id': requestId }, body };
    } catch (error) {
      const cause = error instanceof TRPCError ? error.cause : error;
      if (cause instanceof CarelaneError) return respondError(cause, requestId);
      services.log.error({ requestId, err: (error as Error).message }, fault);
      return respondError(refuse('internal_error', 'Something went wrong on our side.'), requestId);
    }
  };
}
