import { showTool } from '../run-command.mjs';
import { collect, readVitest } from './results.mjs';

/** Vitest, among it the import rules. */
export async function runTests(tally, name, args) {
  console.log(`\n${name}`);
  const run = (file) =>
    showTool('vitest/vitest.mjs', [
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...args,
    ]);
  tally.add(await collect('vitest.json', run, readVitest));
}
