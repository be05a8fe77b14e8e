import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { SIGN_IN, type SignInBench, withSignIn } from '#dev/testing/patient-sign-in.ts';
import { errorOf, type SignedIn, signedIn } from '#dev/testing/signed-in.ts';
import { DAY, MINUTE } from '#server/core/clock.ts';

let bench: SignInBench;
let clinic: Awaited<ReturnType<SignInBench['tenant']>>;
let people: ReturnType<typeof signedIn>;
let hillside: ReturnType<typeof signedIn>;

beforeAll(async () => {
  bench = withSignIn(await withClinic(SIGN_IN));
  clinic = await bench.tenant();
  people = signedIn(bench, clinic);
  hillside = signedIn(bench, await bench.tenant(), 'hill');
});
afterAll(() => bench?.stop());

/** Every step that changes how a patient signs in, called with what a token thief may hold. */
const STEPS: [string, string, () => object][] = [
  ['PATCH', '/email', () => ({ email: people.newEmail() })],
  ['POST', '/email/verify', () => ({ code: '123456' })],
  ['PATCH', '/phone', () => ({ phone_number: people.newNumber() })],
  ['POST', '/phone/verify', () => ({ code: '123456' })],
];

describe.each(STEPS)('%s /user%s with a stolen access token', (method, path, body) => {
  test.each([
    ['nothing else', async () => ({})],
    ['an invented device', async () => ({ device: 'a.b' })],
    ['a device of another patient', async () => ({ device: (await people.byPhone()).device })],
    ['a device of a patient at another clinic', async () => ({ device: (await hillside.byPhone()).device })],
    ['an invented proof', async () => ({ proof: 'a.b' })],
  ])('and %s is rejected, and sends nothing', async (_, more) => {
    for (const owner of [await people.byPhone(), await people.byEmail()]) {
      const requestBody = { ...body(), ...(await more()) };
      const sends = await clinic.ctx.db.codeSend.count();
      expect(errorOf(await people.as(owner, method, path, requestBody))).toEqual([403, 'proof_required']);
      expect(await clinic.ctx.db.codeSend.count()).toBe(sends);
    }
  });
});

test('a right code of the new address does not help a thief without the device', async () => {
  const [email, target] = [people.newEmail(), people.newEmail()];
  const owner = await people.byEmail(email);
  await people.as(owner, 'PATCH', '/email', { email: target, device: owner.device });
  const code = await bench.codeFor(target);
  expect(errorOf(await people.as(owner, 'POST', '/email/verify', { code }))).toEqual([403, 'proof_required']);
  expect((await people.as(owner, 'GET', '')).body.email).toBe(email);
  const { device } = owner;
  expect((await people.as(owner, 'POST', '/email/verify', { code, device })).body.email).toBe(target);
});

test('a device without a sign-in for 90 days counts as unknown', async () => {
  const number = people.newNumber();
  const { device } = await people.byPhone(number);
  bench.clock.pass(90 * DAY + MINUTE);
  const later: SignedIn = await people.byText(number);
  const body = { email: people.newEmail(), device };
  expect(errorOf(await people.as(later, 'PATCH', '/email', body))).toEqual([403, 'proof_required']);
  expect((await people.as(later, 'PATCH', '/email', { ...body, device: later.device })).status).toBe(202);
});
