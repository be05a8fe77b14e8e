import { readConfig } from '../core/config.ts';
import type { Services } from '../core/context.ts';
import { createServices } from '../services.ts';
import { providedServices, provideServices } from './holder.ts';

/** Returns the process's services; makes them from the environment if none have been provided. */
export function services(): Services {
  const provided = providedServices();
  if (provided) return provided;
  const created = createServices(readConfig(process.env));
  provideServices(created);
  return created;
}
