import { expect, it, vi } from 'vitest';
import { makeCard, printCard } from './card.mjs';

const stripe = { url: 'http://127.0.0.1:5002', secretKey: 'sk_test_made_up' };
const seeded = { client_id: 'id', client_secret: 'secret', stripe_account: 'acct_1Clinic' };
const card = (emulators: Record<string, string>) =>
  makeCard({ publicUrl: 'http://localhost:3000', seeded, emulators, stripeKey: stripe.secretKey });

function printed(made: object): string {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    printCard(made as Parameters<typeof printCard>[0], { cardFile: '.run/card.json', total: 3 });
    return write.mock.calls.join('');
  } finally {
    write.mockRestore();
  }
}

it('shows the key and the account with which plans and codes are made on the Stripe emulator', () => {
  const made = card({ stripe: stripe.url });
  expect(made.stripe).toEqual({ url: stripe.url, secret_key: 'sk_test_made_up', account: 'acct_1Clinic' });
  expect(printed(made)).toMatch(
    /Stripe emulator\s+http:\/\/127\.0\.0\.1:5002\n\s+secret key\s+sk_test_made_up\n\s+account\s+acct_1Clinic/,
  );
});

it('shows no key where Stripe itself is used', () => {
  const made = card({ acuity: 'http://127.0.0.1:5003' });
  expect(made).not.toHaveProperty('stripe');
  expect(printed(made)).not.toContain('sk_test');
});
