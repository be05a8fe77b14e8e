import { SRP, SrpServer } from 'fast-srp-hap';
import { expect, test } from 'vitest';
import { drawExchange, EXCHANGES, WORDS } from '../../dev/testing/random-exchanges.ts';
import { SEED } from '../../dev/testing/seed.ts';
import { toBytes, toInteger } from '../protocol/hex.ts';
import { privateKey } from '../protocol/srp-hashes.ts';
import { finishExchange, startExchange } from './exchange.ts';
import { modPow, SUITE } from './suite.ts';

const GROUP = SRP.params[3072];

test(`our client agrees with a server of fast-srp-hap in ${WORDS}, and fails when the password is wrong`, {
  timeout: 60_000 + 2_000 * EXCHANGES,
}, () => {
  const startedAt = performance.now();
  for (let round = 0; round < EXCHANGES; round++) {
    const { identity, salt, K0, ours, theirs, isWrongToo, where } = drawExchange('client', round);
    const x = privateKey(SUITE, identity, K0, salt);
    const verifier = Buffer.from(toBytes(modPow(SUITE.g, x, SUITE.N), SUITE.byteLength));
    const server = new SrpServer(GROUP, { username: identity, salt, verifier }, theirs);
    const secret = startExchange(SUITE, toInteger(ours));
    server.setA(Buffer.from(toBytes(secret.A, SUITE.byteLength)));
    const response = { identity, salt, B: toInteger(server.computeB()) };
    const { M1, isServerProof } = finishExchange(SUITE, secret, response, x);
    expect(() => server.checkM1(Buffer.from(M1)), where).not.toThrow();
    expect(isServerProof(server.computeM2()), where).toBe(true);
    if (!isWrongToo) continue;
    const registered = SRP.computeVerifier(GROUP, salt, Buffer.from(identity), Buffer.from(K0));
    expect(registered.equals(verifier), where).toBe(true);
    const wrong = finishExchange(SUITE, secret, response, x + 1n);
    expect(() => server.checkM1(Buffer.from(wrong.M1)), where).toThrow();
    expect(wrong.isServerProof(server.computeM2()), where).toBe(false);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.info(`client: SRP_EXCHANGES=${EXCHANGES} SEED=${SEED}, ${seconds} s`);
});
