import { createHash } from 'node:crypto';
import { SRP_GROUP, type SrpSuite } from '#sdk/protocol/srp-suite.ts';
import { createExchange } from './exchange.ts';
import { createPowers } from './powers.ts';

/** Group and hash of the protocol. */
export const SUITE: SrpSuite = { ...SRP_GROUP, hash: (data) => createHash('sha256').update(data).digest() };

/** Creates the server arithmetic of the protocol, with its own worker threads, which start on first use. */
export function createSrp() {
  const powers = createPowers(SUITE);
  return { ...powers, ...createExchange(SUITE, powers) };
}
