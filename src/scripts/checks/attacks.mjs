import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildFolder } from '../root.mjs';
import { showTool } from '../run-command.mjs';

const resultFile = path.join(buildFolder, 'attacks.json');

/** What somebody who means harm would try on the copy of that card. @param {string[]} [args] of `npm run attack` */
export async function runAttacks(tally, card, args = []) {
  console.log('\nattacks from outside');
  rmSync(resultFile, { force: true });
  const program = ['src/scripts/attack.ts', '--result', resultFile, ...args];
  const code = await showTool('tsx/dist/cli.mjs', program, { CARELANE_CARD: card });
  tally.add(readCounts(code));
}

/** One that ends before its count ends with a code. */
function readCounts(code) {
  if (!existsSync(resultFile)) return { passed: 0, failed: 1 };
  const { passed, failed } = JSON.parse(readFileSync(resultFile, 'utf8'));
  return { passed, failed: code === 0 ? failed : Math.max(failed, 1) };
}
