import { readConfig } from '../core/config.ts';
import { createServices, type Services } from '../core/context.ts';

/** Kept on globalThis, for Next bundles route handlers apart from the process that hosts it. */
const holder = globalThis as { carelaneServices?: Services };

/** The process's services, made from the environment at first use. */
export function services(): Services {
  holder.carelaneServices ??= createServices(readConfig(process.env));
  return holder.carelaneServices;
}

/** Puts services in place that were made by somebody else: the process at its start, or a test. */
export function provideServices(made: Services): void {
  holder.carelaneServices = made;
}
