import type { Services } from '#server/core/context.ts';
import { createOneSecondMemory } from '#server/core/one-second-memory.ts';
import { perDatabase } from '#server/core/per-database.ts';
import { originRoute } from './origin-route.ts';

/** Nothing else can have been listed, so nothing else is looked for. */
const LISTABLE = /^https?:\/\/[a-z0-9._:[\]-]{1,280}$/;

const memoryOf = perDatabase(() => createOneSecondMemory<string[]>());

/** The tenants that list an origin, as of at most a second ago. */
export async function tenantsOfOrigin(services: Services, origin: string): Promise<string[]> {
  if (!LISTABLE.test(origin)) return [];
  const key = originRoute(origin);
  return memoryOf(services).get(key, () => services.database.tenantsOf(key));
}

/** After a change in this process; the others notice within a second. */
export function forgetOrigin(services: Services, origin: string): void {
  memoryOf(services).forget(originRoute(origin));
}
