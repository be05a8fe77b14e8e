import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildFolder } from '../root.mjs';
import { showTool } from '../run-command.mjs';

const resultFile = path.join(buildFolder, 'vitest.json');

/** Vitest, among it the import rules. */
export async function runTests(tally, name, args) {
  console.log(`\n${name}`);
  rmSync(resultFile, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`];
  const code = await showTool('vitest/vitest.mjs', ['run', ...reporters, ...args]);
  tally.add(readCounts(code));
}

/** A file that cannot even be loaded has no tests to count, but it ends the run with a code. */
function readCounts(code) {
  if (!existsSync(resultFile)) return { passed: 0, failed: 1 };
  const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(readFileSync(resultFile, 'utf8'));
  return { passed, failed: code === 0 ? failed : Math.max(failed, 1) };
}
