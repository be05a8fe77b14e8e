import type { Tx } from './db.ts';

/** Serializes the steps for one person, so that two sign-ups create one patient and the send limit holds. */
export async function lockPerson(tx: Tx, person: string): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`person:${person}`}, 0))`;
}
