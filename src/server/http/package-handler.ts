import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Services } from '../core/context.ts';
import { apiError, CarelaneError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { assertAddressLimit } from './address-limit.ts';
import type { FileResponse, Handler } from './handler.ts';
import { respondError } from './respond.ts';

const ADDRESS = /^\/packages\/(carelane-(?:auth-sdk|client)\.tgz)$/;

/** Serves the npm packages that match this service; only in a sandbox. */
export function createPackageHandler(services: Services): Handler<FileResponse> {
  return async (request) => {
    const requestId = newId(services.clock.now());
    try {
      assertAddressLimit(services, request.ip);
      if (request.method !== 'GET' && request.method !== 'HEAD')
        throw new CarelaneError(
          { code: 'method_not_allowed', detail: 'Send GET.' },
          { headers: { allow: 'GET, HEAD' } },
        );
      const [, file] = ADDRESS.exec(request.path) ?? [];
      return { status: 200, headers: HEADERS, body: await read(services, file) };
    } catch (error) {
      if (error instanceof CarelaneError) return respondError(error, requestId);
      services.log.error({ requestId, err: (error as Error).message }, 'package not sent');
      return respondError(apiError('internal_error', 'Something went wrong on our side.'), requestId);
    }
  };
}

async function read({ config }: Services, file: string | undefined): Promise<Uint8Array<ArrayBuffer>> {
  if (!config.packagesFolder || !file) throw notServed();
  return readFile(path.join(config.packagesFolder, file)).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? notServed() : error;
  });
}

const notServed = () => apiError('route_not_found', 'There is no such package here.');

const HEADERS = {
  'content-type': 'application/gzip',
  // The next start of a sandbox may serve another version under the same name.
  'cache-control': 'no-store',
};
