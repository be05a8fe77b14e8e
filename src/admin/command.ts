import { existsSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { readConfig } from '#server/core/config.ts';
import type { Services } from '#server/core/context.ts';
import { createServices } from '#server/services.ts';

/** Reads the options of an operator's command. Unknown options print the usage and end the process. */
export function readOptions<const Options extends NonNullable<ParseArgsConfig['options']>>(
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(1);
  }
}

/** Runs work with the services of the settings (.env or the environment), and closes them. */
export async function withServices(work: (services: Services) => Promise<void>): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const services = createServices(readConfig(process.env));
  try {
    await work(services);
  } finally {
    await services.close();
  }
}
