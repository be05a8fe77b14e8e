import { expect, it, vi } from 'vitest';
import { TEST_CODE, TEST_MAIL_DOMAIN, TEST_NUMBERS } from '#contract/test-addresses.ts';
import { makeCard, printCard } from './card.mjs';

const stripe = { url: 'http://127.0.0.1:5002' };
const keys = { STRIPE_SECRET_KEY: 'sk_test_made_up', ACUITY_USER_ID: '900100', ACUITY_API_KEY: 'made-up' };
const seeded = { client_id: 'id', client_secret: 'secret', stripe_account: 'acct_1Clinic' };
const card = (emulators: Record<string, string>, production = false) =>
  makeCard({ publicUrl: 'http://localhost:3000', production, seeded, emulators, keys });

function printed(content: object): string {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    printCard(content as Parameters<typeof printCard>[0], { cardFile: '.run/card.json', total: 3 });
    return write.mock.calls.join('');
  } finally {
    write.mockRestore();
  }
}

it('shows the secret key and the account of the Stripe emulator', () => {
  const content = card({ stripe: stripe.url });
  expect(content.stripe).toEqual({
    ...{ url: stripe.url, secret_key: 'sk_test_made_up', account: 'acct_1Clinic' },
    clock: 'http://127.0.0.1:5002/_emulator/clock',
    faults: 'http://127.0.0.1:5002/_emulator/faults',
  });
  expect(printed(content)).toMatch(
    /Stripe emulator\s+http:\/\/127\.0\.0\.1:5002\n\s+secret key\s+sk_test_made_up\n\s+account\s+acct_1Clinic/,
  );
  expect(printed(content)).toMatch(
    /clock\s+http:\/\/127\.0\.0\.1:5002\/_emulator\/clock\n\s+faults\s+\S+\/_emulator\/faults/,
  );
});

it('shows how to install the packages of a sandbox', () => {
  const content = makeCard({
    publicUrl: 'http://localhost:3000',
    production: false,
    seeded,
    emulators: {},
    keys,
    servesPackages: true,
  });
  expect(content.packages).toEqual({
    auth_sdk: 'http://localhost:3000/packages/carelane-auth-sdk.tgz',
    client: 'http://localhost:3000/packages/carelane-client.tgz',
  });
  expect(printed(content)).toMatch(
    /Packages\s+npm i http:\S+carelane-auth-sdk.tgz\n\s+npm i http:\S+carelane-client.tgz/,
  );
  expect(card({})).not.toHaveProperty('packages');
});

it('shows no key when Stripe itself is used', () => {
  const content = card({ acuity: 'http://127.0.0.1:5003' });
  expect(content).not.toHaveProperty('stripe');
  expect(printed(content)).not.toContain('sk_test');
});

it('shows the user id and the key of the Acuity emulator', () => {
  const content = card({ acuity: 'http://127.0.0.1:5003' });
  expect(content.acuity).toEqual({ url: 'http://127.0.0.1:5003', user_id: '900100', api_key: 'made-up' });
  expect(printed(content)).toMatch(/Acuity emulator\s+\S+\n\s+user id\s+900100\n\s+api key\s+made-up/);
  expect(card({ stripe: stripe.url })).not.toHaveProperty('acuity');
});

it('shows the URL of the inbox', () => {
  const content = card({ inbox: 'http://127.0.0.1:5004' });
  expect(content.inbox).toEqual({ url: 'http://127.0.0.1:5004', messages: 'http://127.0.0.1:5004/messages' });
  expect(printed(content)).toMatch(
    /Inbox emulator\s+\S+\n\s+messages\s+http:\/\/127\.0\.0\.1:5004\/messages\?to=&after=&wait=20/,
  );
});

it('shows the test numbers and addresses with their code', () => {
  const { code, phone_numbers, emails } = card({}).test_sign_in!;
  expect([code, phone_numbers, emails]).toEqual([
    TEST_CODE,
    `${TEST_NUMBERS.from} to ${TEST_NUMBERS.to}`,
    `@${TEST_MAIL_DOMAIN}`,
  ]);
  expect(printed(card({}))).toContain(TEST_CODE);
  expect(card({}, true)).not.toHaveProperty('test_sign_in');
});
