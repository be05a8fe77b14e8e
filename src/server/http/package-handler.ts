import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Services } from '../core/context.ts';
import { apiError } from '../core/errors.ts';
import { createHandler } from './create-handler.ts';
import type { FileResponse, Handler } from './handler.ts';

const ADDRESS = /^\/packages\/(carelane-(?:auth-sdk|client)\.tgz)$/;

/** Serves the npm packages that match this service; only in a sandbox. */
export function createPackageHandler(services: Services): Handler<FileResponse> {
  return createHandler(services, {
    name: 'package',
    methods: ['GET', 'HEAD'],
    async handle(request) {
      const [, file] = ADDRESS.exec(request.path) ?? [];
      // No cache: the next start of a sandbox may serve another version under the same name.
      return { status: 200, headers: { 'content-type': 'application/gzip' }, body: await read(services, file) };
    },
  });
}

async function read({ config }: Services, file: string | undefined): Promise<Uint8Array<ArrayBuffer>> {
  if (!config.packagesFolder || !file) throw notServed();
  return readFile(path.join(config.packagesFolder, file)).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? notServed() : error;
  });
}

const notServed = () => apiError('route_not_found', 'There is no such package here.');
