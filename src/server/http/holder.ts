import type { Services } from '../core/context.ts';

/**
 * Kept on globalThis, for Next bundles route handlers, pages and the proxy apart from the process that hosts them: the one
 * way by which they reach its services.
 */
const holder = globalThis as { carelaneServices?: Services };

/** The process's services, if they have been put in place. */
export const providedServices = (): Services | undefined => holder.carelaneServices;

/** Puts services in place that were made by somebody else: the process at its start, or a test. */
export function provideServices(made: Services): void {
  holder.carelaneServices = made;
}
