import { showTool } from '../../launcher/run-command.mjs';
import { collect, readAttacks } from './results.mjs';

/**
 * Runs the attacks on the copy of a card.
 * @param {string[]} [args] of `npm run attack`
 * @returns {Promise<import('./results.mjs').Result>}
 */
export function runAttacks(card, args = []) {
  console.log('\nattacks from outside');
  const run = (file) =>
    showTool('tsx/dist/cli.mjs', ['src/dev/attack.ts', '--result', file, ...args], { CARELANE_CARD: card });
  return collect('attacks.json', run, readAttacks);
}
