import type { z } from 'zod';
import { type Context, contextFor, type Services } from '../core/context.ts';
import { apiError, CarelaneError } from '../core/errors.ts';
import { fieldErrors } from '../core/field-errors.ts';
import { newId } from '../core/ids.ts';
import { assertAddressLimit } from './address-limit.ts';
import type { Handler, HttpRequest, StreamResponse } from './handler.ts';
import { respondError } from './respond.ts';
import { authenticateStaff, headersOnlyRequest } from './trpc-handler.ts';

/** An export for staff; its text is produced as it is sent. */
type File = { texts: AsyncIterable<string>; type: string; name: string | null };
type Given<Schema extends z.ZodType> = {
  path: string;
  input: Schema;
  /** `day` is today, for the file name. A file without a name is displayed, not saved. */
  read(ctx: Context, input: z.infer<Schema>, day: string): Promise<File>;
};

function asStream(texts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const parts = texts[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await parts.return?.();
    },
  });
}

/** Handles an export for a staff session. The response streams because it may be long; no cache stores it. */
export function createExportHandler<Schema extends z.ZodType>(
  services: Services,
  { path, input, read }: Given<Schema>,
): Handler<StreamResponse> {
  async function answer(request: HttpRequest, requestId: string): Promise<StreamResponse> {
    assertAddressLimit(services, request.ip);
    if (request.path !== path) throw apiError('route_not_found', `There is no ${request.path.slice(0, 200)}.`);
    if (request.method !== 'GET')
      throw new CarelaneError({ code: 'method_not_allowed', detail: 'Send GET.' }, { headers: { allow: 'GET' } });
    // Another site could trigger the request, though not read the response; but every export adds an audit entry.
    if (/^(cross-site|same-site)$/.test(request.header('sec-fetch-site') ?? ''))
      throw apiError('forbidden', 'The export is asked for from the portal itself only.');
    const { actor } = await authenticateStaff(services, headersOnlyRequest(services, request));
    const given = Object.fromEntries(request.query);
    const { data, error } = input.safeParse(given);
    if (error) throw new CarelaneError(fieldErrors(error, new Set(Object.keys(given)), given));
    const userAgent = request.header('user-agent');
    const ctx = contextFor(services, actor, { requestId, ip: request.ip, userAgent });
    const { texts, type, name } = await read(ctx, data, services.clock.now().toISOString().slice(0, 10));
    return {
      status: 200,
      headers: {
        'content-type': type,
        ...(name !== null && { 'content-disposition': `attachment; filename="${name}"` }),
        'cache-control': 'no-store',
      },
      body: asStream(texts),
    };
  }

  return async (request) => {
    const requestId = newId(services.clock.now());
    const response = await answer(request, requestId).catch((error: unknown): StreamResponse => {
      if (error instanceof CarelaneError) return respondError(error, requestId);
      services.log.error({ requestId, err: (error as Error).message }, 'export not sent');
      return respondError(apiError('internal_error', 'Something went wrong on our side.'), requestId);
    });
    response.headers['request-id'] = requestId;
    return response;
  };
}
