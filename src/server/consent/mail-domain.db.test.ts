import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asAdmin, asApplication, makeTenant } from '#dev/testing/actors.ts';
import { createTestDatabase, type TestDatabase } from '#dev/testing/database.ts';
import { testServices } from '#dev/testing/services.ts';
import { checkMailDomain } from './mail-domain.ts';

const DOMAIN = 'mail.clinic.org';
let database: TestDatabase;
let server: Socket;
let records: Record<string, string[] | 'silence' | 'fault'>;

/** Answers TXT queries like a name server (RFC 1035). */
function respond(question: Buffer): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (; question[at]; at += question[at]! + 1)
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!));
  const record = records[labels.join('.').toLowerCase()] ?? [];
  if (record === 'silence') return null;
  const texts = record === 'fault' ? [] : record;
  const header = Buffer.from(question.subarray(0, 12));
  // A response: SERVFAIL (2), or NXDOMAIN (3) for an unknown name.
  header.writeUInt16BE(0x8180 | (record === 'fault' ? 2 : texts.length ? 0 : 3), 2);
  header.writeUInt16BE(texts.length, 6);
  header.fill(0, 8);
  const rows = texts.map((text) => {
    const parts = (text.match(/.{1,200}/g) ?? []).map((part) =>
      Buffer.concat([Buffer.of(part.length), Buffer.from(part)]),
    );
    const data = Buffer.concat(parts);
    const row = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, 0]);
    row.writeUInt16BE(data.length, 10);
    return Buffer.concat([row, data]);
  });
  return Buffer.concat([header, question.subarray(12, at + 5), ...rows]);
}

beforeAll(async () => {
  database = await createTestDatabase();
  server = createSocket('udp4');
  server.on('message', (question, { port, address }) => {
    const reply = respond(question);
    if (reply) server.send(reply, port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server?.close();
  await database?.drop();
});

async function check(zone: typeof records, env: Record<string, string> = {}) {
  records = zone;
  const services = testServices(database, {
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: `Clinic <no-reply@${DOMAIN}>`,
    MAIL_DKIM_SELECTOR: 's1',
    DNS_SERVERS: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...env,
  });
  const tenant = await makeTenant(services);
  const { domain, findings } = await checkMailDomain(asAdmin(services, tenant));
  await expect(checkMailDomain(asApplication(services, tenant))).rejects.toMatchObject({ code: 'forbidden' });
  await services.close();
  return { domain, states: findings.map(({ what, state, title }) => `${what} ${state}: ${title}`) };
}

const GOOD = {
  [DOMAIN]: ['other=1', 'v=spf1 include:_spf.example.net -all'],
  [`s1._domainkey.${DOMAIN}`]: [`v=DKIM1; k=rsa; p=${'A'.repeat(390)}`],
  [`_dmarc.${DOMAIN}`]: ['v=DMARC1; p=reject; rua=mailto:x@clinic.org'],
};

test('reports a complete setup as good', async () => {
  expect(await check(GOOD)).toEqual({
    domain: DOMAIN,
    states: ['spf good: is set', 'dkim good: is set', 'dmarc good: is set'],
  });
});

test('reports each missing record, and applies the parent domain’s policy', async () => {
  expect((await check({})).states).toEqual([
    'spf wrong: is missing',
    'dkim wrong: has no key',
    'dmarc wrong: is missing',
  ]);
  const above = await check({ ...GOOD, [`_dmarc.${DOMAIN}`]: [], '_dmarc.clinic.org': ['v=DMARC1; p=none'] });
  expect(above.states[2]).toBe('dmarc advice: only watches');
  const apart = { ...GOOD, [`_dmarc.${DOMAIN}`]: [], '_dmarc.clinic.org': ['v=DMARC1; p=reject; sp=none'] };
  expect((await check(apart)).states[2]).toBe('dmarc advice: only watches');
});

test.each<[string, typeof records, string]>([
  ['two rules', { [DOMAIN]: ['v=spf1 -all', 'v=spf1 ~all'] }, 'spf wrong: is there more than once'],
  ['a rule that lets everybody', { [DOMAIN]: ['v=spf1 +all'] }, 'spf wrong: lets everybody send'],
  ['a rule without an end', { [DOMAIN]: ['v=spf1 mx'] }, 'spf advice: says nothing about other servers'],
  ['another text', { [DOMAIN]: ['v=spf10 -all'] }, 'spf wrong: is missing'],
  ['a key taken back', { [`s1._domainkey.${DOMAIN}`]: ['v=DKIM1; p='] }, 'dkim wrong: has a revoked key'],
  ['a server with trouble', { [DOMAIN]: 'fault' }, 'spf unknown: could not be looked up'],
])('reports %s', async (_, zone, expected) => {
  expect((await check({ ...GOOD, ...zone })).states).toContain(expected);
});

test('limits the wait for a name server that does not respond to some seconds', async () => {
  const startedAt = Date.now();
  const { states } = await check({ ...GOOD, [`_dmarc.${DOMAIN}`]: 'silence' });
  expect(states[2]).toBe('dmarc unknown: could not be looked up');
  if (process.env.PROVE) expect(Date.now() - startedAt).toBeLessThan(15_000);
});

test('treats invalid name servers like ones that do not respond', async () => {
  expect((await check(GOOD, { DNS_SERVERS: 'abc, 1' })).states[0]).toBe('spf unknown: could not be looked up');
});

test('names the setting of a missing DKIM selector, and checks no domain in a sandbox', async () => {
  expect((await check(GOOD, { MAIL_DKIM_SELECTOR: '' })).states[1]).toBe('dkim unknown: cannot be looked up');
  expect(await check(GOOD, { MAIL_FROM: 'no-reply@localhost' })).toEqual({ domain: null, states: [] });
});
