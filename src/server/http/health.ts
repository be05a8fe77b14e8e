import type { Services } from '../core/context.ts';
import type { Door } from './wire.ts';

/** For load balancers: 200 while the database answers and requests are welcome, 503 otherwise. Tells nothing else. */
export function createHealthDoor(services: Services, isOpen: () => boolean = () => true): Door {
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
