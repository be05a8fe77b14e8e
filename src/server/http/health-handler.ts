import type { Services } from '../core/context.ts';
import type { Handler } from './handler.ts';

/** Serves load balancers: 200 while the database responds and requests are accepted, 503 otherwise, without details. */
export function createHealthHandler(services: Services, isOpen: () => boolean = () => true): Handler {
  return async () => {
    const healthy =
      isOpen() &&
      (await services.database.system.$queryRaw`select 1`.then(
        () => true,
        () => false,
      ));
    return {
      status: healthy ? 200 : 503,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: JSON.stringify({ status: healthy ? 'ok' : 'unavailable' }),
    };
  };
}
