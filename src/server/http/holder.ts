import type { Services } from '../core/context.ts';

/**
 * Stored on `globalThis` because Next bundles route handlers, pages and the proxy separately from the process that
 * hosts them; this is their only access to its services.
 */
const holder = globalThis as { carelaneServices?: Services };

/** Returns the process's services, if they have been provided. */
export const providedServices = (): Services | undefined => holder.carelaneServices;

/** Provides services made elsewhere: by the process at its start, or by a test. */
export function provideServices(services: Services): void {
  holder.carelaneServices = services;
}
