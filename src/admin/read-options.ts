import { type ParseArgsConfig, parseArgs } from 'node:util';

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
