import path from 'node:path';
import { root } from '../../launcher/root.mjs';
import { showTool } from '../../launcher/run-command.mjs';
import { collect } from './results.mjs';

/**
 * Runs Vitest, which also checks the import rules. @param {string[]} args of Vitest @returns
 * {Promise<import('./results.mjs').Result>}
 */
export function runTests(title, args) {
  console.log(`\n${title}`);
  const reporters = ['--reporter=default', `--reporter=${path.join(root, 'src/dev/checks/vitest-reporter.mjs')}`];
  return collect('vitest.json', (file) =>
    showTool('vitest/vitest.mjs', ['run', ...reporters, ...args], { VITEST_RESULT: file }),
  );
}
