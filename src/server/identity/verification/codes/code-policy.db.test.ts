import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { newAttempt, register } from '#dev/testing/password-client.ts';
import { SIGN_IN, type SignInBench, type TestResponse, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { signedIn } from '#dev/testing/signed-in.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#server/core/clock.ts';
import { sourceOf } from '#server/core/ip-address.ts';
import { RATE_LIMITS, type RateLimitName } from '#server/core/rate-limits.ts';
import { personKey } from '../person.ts';
import { makeChallenge } from './count-send.ts';

const CODE = /\b(?:\d{6}|\d{10})\b/;
const GUIDE = 'src/docs/api/guides/sign-in-by-phone.md';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;
beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic);
});
afterAll(() => bench?.stop());

const srp = register('correct horse battery staple');
let sources = 0;
/** Addresses in the /64 of one household; each request uses another one. */
function newSource(): () => string {
  const network = `2001:db8:1:${(++sources).toString(16)}`;
  let requests = 0;
  return () => `${network}::${(++requests).toString(16)}`;
}

/** The requests that send a code to one person, used in turn. */
type Way = { address: string; requests: [to: string, body: object][] };

const byPhone = (phone_number: string, device?: string): Way => ({
  address: phone_number,
  requests: [['/passwordless/sign_in', { client_id: clinic.passwordless, phone_number, device }]],
});
function byMail(email: string, ...requests: [to: string, more?: object][]): Way {
  const body = { client_id: clinic.credentials, email, attempt: newAttempt() };
  return { address: email, requests: requests.map(([to, more]) => [`/credentials${to}`, { ...body, ...more }]) };
}
async function ofPatient(): Promise<Way> {
  const number = people.newNumber();
  await people.byPhone(number);
  return byPhone(number);
}
async function ofSignUp(): Promise<Way> {
  const number = people.newNumber();
  const body = { client_id: clinic.passwordless, phone_number: number, attempt: newAttempt() };
  expect((await bench.post('/passwordless/sign_up', body)).status).toBe(202);
  return byPhone(number);
}
async function ofKnownDevice(): Promise<Way> {
  const number = people.newNumber();
  const { device } = await people.byPhone(number);
  return byPhone(number, device);
}
const ofUnknownNumber = () => byPhone(people.newNumber());
const ofUnknownEmail = () => byMail(people.newEmail(), ['/reset']);
const ofPending = () => byMail(people.newEmail(), ['/sign_up', { srp }], ['/resend']);
async function ofMember(): Promise<Way> {
  const email = people.newEmail();
  await people.byEmail(email);
  return byMail(email, ['/reset']);
}

/** Inserts requests for a person's codes an hour ago, each from another unknown source. */
async function requestsElsewhere({ address }: Way, requests: number): Promise<void> {
  const { db, tenantId } = clinic.ctx;
  const sentAt = new Date(bench.clock.now().getTime() - HOUR);
  await db.$executeRaw`
    insert into code_sends (id, tenant_id, person, purpose, source, sent_at)
    select gen_random_uuid(), ${tenantId}::uuid, ${personKey(clinic.ctx, address)}, 'sign_in', gen_random_uuid()::text,
      ${sentAt}::timestamptz
    from generate_series(1, ${requests}::int)`;
}

/** Sends one request, with a proof of work if required. */
async function requestCode(
  { address, requests }: Way,
  ip: string,
  turn = 0,
): Promise<TestResponse & { neededWork: boolean }> {
  const [to, body] = requests[turn % requests.length]!;
  const send = (more: object) => bench.post(to, { ...body, ...more }, { headers: { 'x-forwarded-for': ip } });
  const response = await send({});
  if (response.status !== 428) return { ...response, neededWork: false };
  expect(response.body.errors[0].code).toBe('proof_of_work_required');
  const bound = { person: personKey(clinic.ctx, address), source: personKey(clinic.ctx, sourceOf(ip)) };
  const proof_of_work = { challenge: makeChallenge(clinic.ctx, bound, 0), nonce: '' };
  return { ...(await send({ proof_of_work })), neededWork: true };
}

/**
 * Codes in 15 minutes and in a day, the announced waits, which codes need a proof of work, and the digits of the codes;
 * `digits` is null for an address without an account, which gets no code.
 */
type Day = { quarter: number; day: number; waits: number[]; neededWork: number[]; digits: string | null };

/** Requests codes for a day, each as soon as allowed, and uses none. */
async function requestForADay(way: Way, elsewhere: number): Promise<Day> {
  await requestsElsewhere(way, elsewhere);
  await bench.settled();
  const before = (await bench.messages(way.address)).length;
  const start = bench.clock.now().getTime();
  const source = newSource();
  const at: number[] = [];
  const [waits, neededWork]: [number[], number[]] = [[], []];
  const isOver = () => bench.clock.now().getTime() - start >= DAY - SECOND;
  while (!isOver()) {
    at.push(bench.clock.now().getTime() - start);
    const response = await requestCode(way, source(), at.length - 1);
    expect([at.length, response.status]).toEqual([at.length, way.address.includes('@') ? 202 : 200]);
    if (response.neededWork) neededWork.push(at.length);
    if (at.length % 5 === 0) await expectTooSoon(way, source(), response.body.resend_after);
    // A code that expires as the clock advances is not sent, so wait until at least the first one is, to count its
    // digits. Whether a code stands for the next request depends on whether it is known to have been sent.
    if (at.length === 1 || (response.neededWork && !way.address.includes('@'))) await bench.settled();
    waits.push(response.body.resend_after);
    bench.clock.pass(response.body.resend_after * SECOND);
  }
  const digits = await digitsSent(way, before);
  // The announced wait is right: the next code is available a day later.
  expect((await requestCode(way, source())).status).toBeLessThan(300);
  const quarter = at.filter((time) => time < 15 * MINUTE).length;
  return { quarter, day: at.length, waits: waits.slice(0, -1), neededWork, digits };
}

/** Returns the code lengths in the messages sent since `before`; messages are listed newest first. */
async function digitsSent({ address }: Way, before: number): Promise<string | null> {
  await bench.settled();
  const sent = await bench.messages(address);
  const codes = sent.slice(0, sent.length - before).flatMap(({ text }) => CODE.exec(text) ?? []);
  return [...new Set(codes.map((code) => code.length))].join(', ') || null;
}

async function expectTooSoon(way: Way, ip: string, seconds: number): Promise<void> {
  const { status, headers } = await requestCode(way, ip);
  expect(status).toBe(429);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(seconds);
}
const lengthOf = (seconds: number): string =>
  [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ]
    .filter(([count]) => count)
    .map((part) => part.join(' '))
    .join(' ');
/** The waits up to the one that repeats. */
function waitsOf({ waits }: Day): string {
  const first = waits.indexOf(waits.at(-1)!);
  const lengths = waits.slice(0, first + 1).map(lengthOf);
  return first < waits.length - 1
    ? `${lengths.slice(0, -1).join(', ')}, then ${lengths.at(-1)} each time`
    : lengths.join(', ');
}
const workOf = ({ neededWork, day }: Day): string =>
  neededWork.length === day ? 'for each' : neededWork.join(', ') || 'none';

const HEAD: [string, string] = [
  '| Who asks for codes to one number or address | In 15 minutes | In a day | Wait for the next | Proof of work | Digits of the code |',
  '|---|---|---|---|---|---|',
];
const KNOWN = 'A device that has signed in before, regardless of other requests';
const WITHIN = 'Any other source, while all of these ask for at most 20 in a day together';
const BEYOND = 'Any other source, beyond these 20';
const lines = new Map<string, string>();
/** Records the table row of such a day; it must be equal for all accounts of one kind. */
function note(patient: string, day: Day): void {
  const start = `| ${[patient, day.quarter, day.day, waitsOf(day), workOf(day)].join(' | ')} |`;
  const existing = lines.get(patient);
  const line = day.digits === null ? existing : `${start} ${day.digits} |`;
  expect(line).toContain(start);
  expect(line).toBe(existing ?? line);
  lines.set(patient, line!);
}

describe('code limits', () => {
  afterAll(() => console.log([...HEAD, ...lines.values()].join('\n')));

  test.each([0, 1, 20, 60])(
    'a person on a new device signs in with the third code in 15 minutes, after %i requests of other sources',
    async (elsewhere) => {
      const way = await ofPatient();
      await requestsElsewhere(way, elsewhere);
      const source = newSource();
      const start = bench.clock.now().getTime();
      let latest = await requestCode(way, source());
      for (let more = 0; more < 2; more++) {
        await bench.settled();
        bench.clock.pass(latest.body.resend_after * SECOND);
        latest = await requestCode(way, source());
        expect(latest.status).toBe(200);
      }
      expect(bench.clock.now().getTime() - start).toBeLessThan(15 * MINUTE);
      const code = await bench.codeFor(way.address);
      const response = await bench.post('/passwordless/complete', { challenge: latest.body.challenge, code });
      expect(response.status).toBe(200);
    },
  );

  type Row = [what: string, elsewhere: number, make: () => Way | Promise<Way>, who: string, texts: number];
  test.each<Row>([
    ['a known device', 60, ofKnownDevice, KNOWN, 31],
    ['a number that has signed in', 0, ofPatient, WITHIN, 11],
    ['a number that has signed in', 10, ofPatient, WITHIN, 11],
    ['a number that has signed in', 20, ofPatient, BEYOND, 2],
    ['a number that has signed up only', 20, ofSignUp, BEYOND, 2],
    ['an unknown number', 0, ofUnknownNumber, WITHIN, 0],
    ['an unknown number', 20, ofUnknownNumber, BEYOND, 0],
    ['one pending sign-up, signed up again and resent in turn', 0, ofPending, WITHIN, 0],
    ['one pending sign-up, signed up again and resent in turn', 20, ofPending, BEYOND, 0],
    ['a forgotten password', 0, ofMember, WITHIN, 0],
    ['a forgotten password', 20, ofMember, BEYOND, 0],
    ['a forgotten password of an unknown address', 20, ofUnknownEmail, BEYOND, 0],
  ])('%s, after %i requests of other sources', async (_, elsewhere, make, patient, texts) => {
    const way = await make();
    note(patient, await requestForADay(way, elsewhere));
    const person = personKey(clinic.ctx, way.address);
    expect(await clinic.ctx.db.codeSend.count({ where: { person, texted: true } })).toBe(texts);
  });

  test.each([
    ['the guide', GUIDE],
    ['the README of the SDK', 'src/sdk/README.md'],
    ['the protocol', 'src/sdk/PROTOCOL.md'],
  ])('%s documents these limits', (_, file) => {
    const table = [...HEAD, ...[KNOWN, WITHIN, BEYOND].map((patient) => lines.get(patient))];
    expect(tableIn(file, HEAD[0])).toEqual(table);
  });
});

describe('the 21st code requested by unknown sources', () => {
  const responseTo = (requested: TestResponse, code: string) =>
    bench.post('/passwordless/complete', { challenge: requested.body.challenge, code });

  test('has ten digits and signs in, while a known device gets six digits', async () => {
    const number = people.newNumber();
    const { device } = await people.byPhone(number);
    const way = byPhone(number);
    await requestsElsewhere(way, 19);
    const twentieth = await requestCode(way, newSource()());
    expect(twentieth.neededWork).toBe(false);
    expect(await bench.codeFor(number)).toMatch(/^\d{6}$/);
    const next = await requestCode(way, newSource()());
    expect(next.neededWork).toBe(true);
    const long = await bench.codeFor(number);
    expect(long).toMatch(/^\d{10}$/);
    const knownDevice = await requestCode(byPhone(number, device), newSource()());
    expect(knownDevice.neededWork).toBe(false);
    const short = await bench.codeFor(number);
    expect(short).toMatch(/^\d{6}$/);
    expect((await responseTo(next, long.slice(0, 6))).body.errors[0].code).toBe('invalid_code');
    expect((await responseTo(next, long)).status).toBe(200);
    expect((await responseTo(knownDevice, short)).status).toBe(200);
  });

  test('has ten digits in an email too, and sets a new password', async () => {
    const email = people.newEmail();
    await people.byEmail(email);
    const way = byMail(email, ['/reset']);
    await requestsElsewhere(way, 20);
    expect((await requestCode(way, newSource()())).status).toBe(202);
    const code = await bench.codeFor(email);
    expect(code).toMatch(/^\d{10}$/);
    const { attempt, ...body } = way.requests[0]![1] as { attempt: string };
    const response = await bench.post('/credentials/reset/complete', { ...body, attempt, code, srp });
    expect(response.status).toBe(204);
  });

  test.each([
    ['text', ofPatient, ofUnknownNumber],
    ['mail', ofMember, ofUnknownEmail],
  ])('gets the same response by %s for an address without an account', async (_, ofOwner, without) => {
    const responses = [];
    for (const way of [await ofOwner(), without()]) {
      await requestsElsewhere(way, 20);
      const [to, body] = way.requests[0]!;
      const rejected = await bench.post(to, body);
      const { difficulty } = rejected.body.errors[0].meta.proof_of_work;
      const { status, body: sent, neededWork } = await requestCode(way, newSource()());
      const { challenge, ...rest } = sent;
      responses.push([rejected.status, difficulty, status, neededWork, { ...rest, challenge: challenge?.length }]);
    }
    expect(responses[1]).toEqual(responses[0]);
    expect(responses[0]!.slice(0, 2)).toEqual([428, 18]);
  });
});

test('the guide documents what a clinic and the service send at most in an hour', () => {
  const kinds: [string, RateLimitName, RateLimitName][] = [
    ['Codes asked for by one source, known devices not counted', 'codes_from_source', 'codes_from_source_anywhere'],
    ['Texts to one exchange: the first six digits of numbers', 'texts_to_exchange', 'texts_to_exchange_anywhere'],
    ['Texts', 'texts', 'texts_anywhere'],
    ['Emails with codes', 'mails', 'mails_anywhere'],
  ];
  const head: [string, string] = ['| In a clock hour at most | One clinic | All clinics together |', '|---|---|---|'];
  const limitOf = (name: RateLimitName) => RATE_LIMITS[name].limit.toLocaleString('en');
  const rows = kinds.map(([kind, ofClinic, ofAll]) => `| ${kind} | ${limitOf(ofClinic)} | ${limitOf(ofAll)} |`);
  expect(tableIn(GUIDE, head[0])).toEqual([...head, ...rows]);
});

/** Returns the table of a document that starts with this line. */
function tableIn(file: string, head: string): string[] {
  const lines = readFileSync(path.resolve(file), 'utf8').split('\n');
  const table = lines.slice(lines.indexOf(head));
  return table.slice(
    0,
    table.findIndex((line) => !line.startsWith('|')),
  );
}
