import { UserError } from '../user-error.mjs';

const KNOWN = [
  [/No space left on device|Check free disk space/, (dir) => `There is no space left on the disk that holds ${dir}.`],
  [/lock file "postmaster.pid" already exists/, (dir) => `The data folder ${dir} is in use by another PostgreSQL.`],
  [
    /Permission denied/,
    (dir) => `The data folder ${dir} belongs to another user: give it back with chown, or use --data.`,
  ],
  [
    /incompatible with server|not compatible with this version/,
    (dir) => `The data folder ${dir} is of another PostgreSQL version: dump it with that version, or use --data.`,
  ],
  [/could not create any TCP\/IP sockets|Address already in use/, () => 'The port chosen for PostgreSQL is in use.'],
];

/** @returns {Error} a sentence for the error output of PostgreSQL's programs */
export function explain(output, dir) {
  const [, sentence] = KNOWN.find(([pattern]) => pattern.test(output)) ?? [];
  return sentence ? new UserError(sentence(dir)) : new Error(`PostgreSQL did not start:\n${output.trim()}`);
}
