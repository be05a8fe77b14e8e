import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.join(process.cwd(), 'src/portal/playground/steps');

/** The files that the playground runs, as an app outside this repository would write them. */
export function readSteps(): Record<string, string> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  return Object.fromEntries(
    files.map((file) => [
      file.replace(/\.ts$/, ''),
      readFileSync(path.join(FOLDER, file), 'utf8').replaceAll('#sdk/index.ts', '@carelane/auth-sdk'),
    ]),
  );
}
