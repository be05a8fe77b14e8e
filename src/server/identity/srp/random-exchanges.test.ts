import { SRP, SrpClient } from 'fast-srp-hap';
import { afterAll, expect, test } from 'vitest';
import { drawExchange, EXCHANGES, WORDS } from '#dev/testing/random-exchanges.ts';
import { SEED } from '#dev/testing/seed.ts';
import { toBytes, toInteger } from '#sdk/protocol/hex.ts';
import { privateKey } from '#sdk/protocol/srp-hashes.ts';
import { createSrp, SUITE } from './suite.ts';

const GROUP = SRP.params[3072];
const { power, offer, settle, close } = createSrp();
afterAll(close);

test(`our server agrees with a client of fast-srp-hap in ${WORDS}, and with none of a wrong password`, {
  timeout: 60_000 + 2_000 * EXCHANGES,
}, async () => {
  const startedAt = performance.now();
  for (let round = 0; round < EXCHANGES; round++) {
    const { identity, salt, K0, ours, theirs, isWrongToo, where } = drawExchange('server', round);
    const clientOf = (secret: string) =>
      new SrpClient(GROUP, salt, Buffer.from(identity), Buffer.from(secret), Buffer.from(theirs));
    // The client library computes v from identity, salt and K0, so a wrong x on the server side would show.
    const v = await power(privateKey(SUITE, identity, K0, salt));
    const { b, B } = await offer(v, toInteger(ours));
    const offered = Buffer.from(toBytes(B, SUITE.byteLength));
    const client = clientOf(K0);
    client.setB(offered);
    const proofs = await settle({ identity, salt, v, b, A: toInteger(client.computeA()), B });
    expect(Buffer.from(proofs!.M1).equals(client.computeM1()), where).toBe(true);
    expect(() => client.checkM2(Buffer.from(proofs!.M2)), where).not.toThrow();
    if (!isWrongToo) continue;
    const attacker = clientOf(`${K0.slice(1)}0`);
    attacker.setB(offered);
    expect(Buffer.from(proofs!.M1).equals(attacker.computeM1()), where).toBe(false);
    expect(() => attacker.checkM2(Buffer.from(proofs!.M2)), where).toThrow();
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.info(`server: SRP_EXCHANGES=${EXCHANGES} SEED=${SEED}, ${seconds} s`);
});
