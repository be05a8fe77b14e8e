import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clinic, withClinic } from '#dev/testing/clinic.ts';
import { testServices } from '#dev/testing/services.ts';
import { MINUTE } from '../../core/clock.ts';
import type { Services } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import { issueAccessToken } from './issue-access-token.ts';
import { currentKey, findKey, PUBLISHED_AHEAD, publishedKeys, rotateSigningKeys } from './signing-keys.ts';
import { verifyAccessToken } from './verify-access-token.ts';

const PROCESSES = 8;

describe('signing keys', () => {
  let clinic: Clinic;
  let processes: Services[];
  const close = (all: Services[]) => Promise.all(all.map((one) => one.close()));
  const at = (services: Services, minutes: number): Services => {
    const moment = new Date(Date.now() + minutes * MINUTE);
    return { ...services, clock: { now: () => moment } };
  };
  const grant = () => ({ tenantId: newId(), clientId: newId(), secretId: newId(), scope: '' });

  beforeAll(async () => {
    clinic = await withClinic({ env: { DATABASE_CONNECTIONS: '9' } });
    const start = () => testServices(clinic.database, clinic.settings);
    processes = [clinic.services, ...Array.from({ length: PROCESSES - 1 }, start)];
  });
  afterAll(async () => {
    await close(processes);
    await clinic.stop();
  });

  test('creates one key when several processes start at once', async () => {
    const kids = await Promise.all(processes.flatMap((one) => [currentKey(one), currentKey(one)]));
    expect(new Set(kids.map(({ kid }) => kid)).size).toBe(1);
    expect(await processes[0]!.database.system.signingKey.count()).toBe(1);
  });

  test('publishes only the public half and stores the private half encrypted', async () => {
    const [services] = processes as [Services];
    for (const { publicJwk } of await publishedKeys(services)) {
      expect(publicJwk).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
      expect(publicJwk).not.toHaveProperty('d');
    }
    const row = await services.database.system.signingKey.findFirstOrThrow();
    expect(Buffer.from(row.privateKey).toString('latin1')).not.toContain('PRIVATE KEY');
    const moved = () => services.cipher.open(row.privateKey, 'signing_keys/another/private_key');
    expect(moved).toThrow();
  });

  test('publishes a new key before its first use and the old key until its last token has expired', async () => {
    const [services, other] = processes as [Services, Services];
    const old = await currentKey(services);
    const kid = await rotateSigningKeys(services);
    expect((await publishedKeys(services)).map((key) => key.kid)).toEqual([old.kid, kid]);
    expect((await currentKey(services)).kid).toBe(old.kid);
    // A process that has not reread the keys yet finds the new key through the first token that names it.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect((await findKey(other, kid))?.kid).toBe(kid);

    const justBefore = at(services, PUBLISHED_AHEAD / MINUTE - 0.1);
    const { token } = await issueAccessToken(justBefore, grant());
    expect(decodeProtectedHeader(token).kid).toBe(old.kid);
    const after = at(services, PUBLISHED_AHEAD / MINUTE + 0.1);
    expect((await currentKey(after)).kid).toBe(kid);

    const newProcess = { ...at(services, PUBLISHED_AHEAD / MINUTE + 59), database: other.database };
    expect(await verifyAccessToken(newProcess, token)).toHaveProperty('claims');
    const afterExpiry = at(services, PUBLISHED_AHEAD / MINUTE + 62);
    expect((await publishedKeys(afterExpiry)).map((key) => key.kid)).toEqual([kid]);
  });
});
