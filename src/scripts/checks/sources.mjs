import { runTool } from '../run-command.mjs';
import { generateClient, generateClientTypes } from '../start/build.mjs';

/** Format, lint and types. */
export async function checkSources(tally) {
  await tally.prepare(generateClient);
  await tally.prepare(generateClientTypes);
  await Promise.all([
    tally.check('format and lint', () => runTool('@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.'])),
    tally.check('types', () => runTool('typescript/bin/tsc', ['--noEmit', '-p', '.'])),
  ]);
}
