import { showTool } from '../run-command.mjs';
import { collect } from './results.mjs';

/** What somebody who means harm would try on the copy of that card. @param {string[]} [args] of `npm run attack` */
export async function runAttacks(tally, card, args = []) {
  console.log('\nattacks from outside');
  const run = (file) =>
    showTool('tsx/dist/cli.mjs', ['src/scripts/attack.ts', '--result', file, ...args], { CARELANE_CARD: card });
  tally.add(await collect('attacks.json', run, (result) => result));
}
