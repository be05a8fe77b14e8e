import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../../launcher/root.mjs';

/**
 * Reads the tests that once failed and passed in a second run. Each may be a bug in the product until its cause is
 * recorded; a listed test that is unsteady again fails the run.
 * @typedef {{ test: string, commit: string, message: string, cause: string, fixed_in: string }} Entry
 * @returns {Entry[]}
 */
export function readLedger(file = path.join(root, 'src/dev/checks/unsteady.json')) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {import('./results.mjs').Failure[]} unsteady @returns {string[]} an entry for each, ready for the ledger */
export function entriesFor(unsteady, commit = lastCommit()) {
  return unsteady.map(({ name, why }) =>
    JSON.stringify({ test: name, commit, message: firstLine(why), cause: '', fixed_in: '' }),
  );
}

const firstLine = (text) => stripVTControlCharacters(text).trim().split('\n')[0].slice(0, 200);

function lastCommit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return ''; // not a checkout
  }
}
