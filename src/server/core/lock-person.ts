import type { Tx } from './db.ts';

/** One step at a time for each person, so that two sign-ups make one patient and sends are counted. */
export async function lockPerson(tx: Tx, person: string): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`person:${person}`}, 0))`;
}
