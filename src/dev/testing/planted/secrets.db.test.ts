import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '#server/core/log.ts';
import { connectAcuity } from '#server/integrations/connect-acuity.ts';
import { dumpDatabase, findCanaries, type Place } from '../canaries.ts';
import { type Clinic, withClinic } from '../clinic.ts';

let clinic: Clinic<'acuity'>;
beforeEach(async () => {
  clinic = await withClinic({ acuity: true });
});
afterEach(() => clinic?.stop());

const theKey = () => new Map([['the Acuity key', clinic.acuity.account.api_key]]);
const findings = async () => findCanaries(theKey(), await dumpDatabase(clinic.database.ownerUrl));

test('intact: the key is in no column', async () => {
  expect(await findings()).toEqual([]);
});

test('K6: detects a cipher that does not encrypt', async () => {
  const { cipher } = clinic.services;
  const seal = (plain: string) => new Uint8Array(Buffer.from(plain));
  const open = (bytes: Uint8Array, at: string) =>
    Buffer.from(bytes).toString().startsWith('{') ? Buffer.from(bytes).toString() : cipher.open(bytes, at);
  await connectAcuity({ ...clinic.ctx, cipher: { ...cipher, seal, open } }, clinic.acuity.account);
  expect(await findings()).toEqual(['the Acuity key in integrations.credentials']);
});

test('K6: detects a log line with the input', () => {
  const lines: Place[] = [];
  const log = createLog('debug', { write: (text) => void lines.push({ where: 'the log', text }) });
  log.debug({ input: clinic.acuity.account }, 'connecting');
  expect(findCanaries(theKey(), lines)).toEqual(['the Acuity key in the log']);
});
