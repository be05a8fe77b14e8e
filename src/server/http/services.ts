import type { Services } from '../core/context.ts';

/**
 * Stored on `globalThis` because Next bundles pages and the proxy separately from the process that hosts them; this is
 * their only access to its services.
 */
const holder = globalThis as { carelaneServices?: Services };

/** Returns the process's services. */
export function services(): Services {
  if (!holder.carelaneServices) throw new Error('no services: pages run only behind the server of src/main.ts');
  return holder.carelaneServices;
}

/** Called by the process at its start, before the first page, or by a test. */
export function provideServices(services: Services): void {
  holder.carelaneServices = services;
}
