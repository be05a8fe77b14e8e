import { readConfig } from '../core/config.ts';
import type { Services } from '../core/context.ts';
import { createServices } from '../services.ts';
import { providedServices, provideServices } from './holder.ts';

/** The process's services; where nobody has put any in place, they are made from the environment. */
export function services(): Services {
  const provided = providedServices();
  if (provided) return provided;
  const made = createServices(readConfig(process.env));
  provideServices(made);
  return made;
}
