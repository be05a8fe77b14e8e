import { ExportAuditInput } from '#contract/audit.ts';
import { exportEntries } from '../audit/export-entries.ts';
import { contextFor, type Services } from '../core/context.ts';
import { CarelaneError, refuse } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { zodFaults } from '../core/zod-faults.ts';
import { refuseFlood } from './address-limit.ts';
import { respondError } from './respond.ts';
import { headOf, staffOf } from './trpc.ts';
import type { Door, DoorRequest, FileResponse } from './wire.ts';

const PATH = '/api/audit/export';
const TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' };

/** The audit log as a file, for a staff session: sent while it is read, for it may be long. */
export function createAuditDoor(services: Services): Door<FileResponse> {
  async function answer(request: DoorRequest, requestId: string): Promise<FileResponse> {
    refuseFlood(services, request.ip);
    if (request.path !== PATH) throw refuse('route_not_found', `There is no ${request.path.slice(0, 200)}.`);
    if (request.method !== 'GET')
      throw new CarelaneError({ code: 'method_not_allowed', detail: 'Send GET.' }, { headers: { allow: 'GET' } });
    // Another site can make a browser ask for it, and read nothing of it; but every export is an entry.
    if (/^(cross-site|same-site)$/.test(request.header('sec-fetch-site') ?? ''))
      throw refuse('forbidden', 'The export is asked for from the portal itself only.');
    const { actor } = await staffOf(services, headOf(services, request));
    const given = Object.fromEntries(request.query);
    const { data, error } = ExportAuditInput.safeParse(given);
    if (error) throw new CarelaneError(zodFaults(error, new Set(Object.keys(given)), given));
    const userAgent = request.header('user-agent');
    const ctx = contextFor(services, actor, { requestId, ip: request.ip, userAgent });
    const body = await exportEntries(ctx, data);
    const day = services.clock.now().toISOString().slice(0, 10);
    return {
      status: 200,
      headers: {
        'content-type': TYPES[data.format],
        'content-disposition': `attachment; filename="audit-log-${day}.${data.format}"`,
        'cache-control': 'no-store',
      },
      body,
    };
  }

  return async (request) => {
    const requestId = newId(services.clock.now());
    const response = await answer(request, requestId).catch((error: unknown): FileResponse => {
      if (error instanceof CarelaneError) return respondError(error, requestId);
      services.log.error({ requestId, err: (error as Error).message }, 'export not sent');
      return respondError(refuse('internal_error', 'Something went wrong on our side.'), requestId);
    });
    response.headers['request-id'] = requestId;
    return response;
  };
}
