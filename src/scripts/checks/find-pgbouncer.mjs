import { findProgram } from './find-program.mjs';

/** @returns {Promise<string>} the path of a PgBouncer, behind which tenants are shown to stay apart */
export const findPgbouncer = (step) =>
  findProgram(step, {
    title: 'PgBouncer',
    names: ['pgbouncer'],
    setting: 'PGBOUNCER_PATH',
    debian: 'pgbouncer',
    why: 'The tests behind a pooler',
  });
