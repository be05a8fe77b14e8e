import { describe, expect, test } from 'vitest';
import type { Account, Price } from '#server/providers/stripe.ts';
import { accountFindings, keyFindings, priceFindings, requirementLabels } from './inspect-stripe.ts';

let priceCount = 0;
const price = (overrides: Partial<Price> = {}, product: Partial<Price['product']> = {}): Price => ({
  id: `price_${++priceCount}`,
  active: true,
  currency: 'usd',
  metadata: {},
  type: 'recurring',
  recurring: { interval: 'month', interval_count: 1 },
  unit_amount: 4900,
  unit_amount_decimal: '4900',
  product: { id: `prod_${priceCount}`, active: true, name: 'Essential care', images: [], ...product },
  ...overrides,
});
const US = { default_currency: 'usd' };
const codes = (prices: Price[], account = US) => priceFindings(prices, account).map(({ code }) => code);

describe('priceFindings', () => {
  test('reports no_active_price without an active recurring price of an active product', () => {
    expect(codes([])).toEqual(['no_active_price']);
    expect(codes([price({}, { active: false })])).toEqual(['no_active_price']);
  });

  test('reports nothing for one price per product in the account’s currency', () => {
    expect(codes([price(), price({ metadata: { trial_period_in_days: '14' } })])).toEqual([]);
  });

  test('reports several prices of one product as advice', () => {
    const product = { id: 'prod_same', name: 'Essential care' };
    const [finding, ...others] = priceFindings([price({}, product), price({}, product), price()], US);
    expect(finding).toMatchObject({ code: 'several_prices', advice: true });
    expect(finding?.message).toContain('Essential care has 2 prices');
    expect(others).toEqual([]);
  });

  test('reports a trial that is no number of days', () => {
    for (const trial_period_in_days of ['a month', '0', '731', '1.5'])
      expect(codes([price({ metadata: { trial_period_in_days } })])).toEqual(['malformed_trial']);
  });

  test('reports mixed currencies', () => {
    const [finding] = priceFindings([price(), price({ currency: 'eur' })], US);
    expect(finding).toMatchObject({ code: 'mixed_currencies', message: expect.stringContaining('EUR, USD') });
  });

  test('reports prices only in other currencies than the account’s', () => {
    const [finding] = priceFindings([price({ currency: 'eur' })], US);
    expect(finding).toMatchObject({ code: 'other_currency', message: expect.stringContaining('EUR') });
    expect(codes([price({ currency: 'eur' }), price({ currency: 'gbp' })])).toEqual([
      'other_currency',
      'mixed_currencies',
    ]);
  });
});

describe('keyFindings', () => {
  const keys = (environment: 'sandbox' | 'production', secretKey: string, publishableKey: string) =>
    keyFindings({ environment, stripe: { secretKey, publishableKey } as never }).map(({ code }) => code);

  test('reports a key of the other mode, also when it is only one of the two', () => {
    expect(keys('production', 'sk_test_x', 'pk_live_x')).toEqual(['test_key_in_production']);
    expect(keys('production', 'sk_live_x', 'pk_test_x')).toEqual(['test_key_in_production']);
    expect(keys('sandbox', 'sk_live_x', 'pk_test_x')).toEqual(['live_key_in_sandbox']);
    expect(keys('sandbox', 'rk_test_x', 'pk_live_x')).toEqual(['live_key_in_sandbox']);
  });

  test('reports nothing for keys of the right mode', () => {
    expect(keys('production', 'rk_live_x', 'pk_live_x')).toEqual([]);
    expect(keys('sandbox', 'sk_test_x', 'pk_test_x')).toEqual([]);
  });
});

describe('accountFindings', () => {
  const account = (overrides: Partial<Account> = {}): Account => ({
    id: 'acct_1',
    object: 'account',
    charges_enabled: true,
    payouts_enabled: true,
    details_submitted: true,
    ...overrides,
  });

  test('reports nothing for an account that is ready', () => {
    expect(accountFindings(account())).toEqual([]);
  });

  test('names the missing details in readable words, and where to give them', () => {
    const requirements = { currently_due: ['individual.verification.document', 'external_account'] };
    const findings = accountFindings(account({ charges_enabled: false, payouts_enabled: false, requirements }));
    expect(findings.map(({ code }) => code)).toEqual(['requirements_due', 'charges_disabled', 'payouts_disabled']);
    expect(findings[0]?.message).toContain('A document that proves who a person is, A bank account for payouts');
    expect(findings.every(({ fix }) => fix)).toBe(true);
  });

  test('says to wait after all details were given, and to contact support after a rejection', () => {
    const wordsOf = (disabled_reason: string | null, currently_due: string[] = []) =>
      accountFindings(
        account({
          ...{ charges_enabled: false, payouts_enabled: false },
          requirements: { currently_due, disabled_reason },
        }),
      )
        .map(({ message, fix }) => `${message} ${fix}`)
        .join(' ');
    for (const reason of ['requirements.pending_verification', 'under_review', 'listed', null]) {
      expect(wordsOf(reason)).toContain('is checking what was given');
      expect(wordsOf(reason)).not.toMatch(/Continue with|Give a bank account/);
    }
    for (const reason of ['rejected.fraud', 'rejected.other']) {
      expect(wordsOf(reason)).toContain('rejected this account');
      expect(wordsOf(reason)).not.toContain('Continue with');
    }
    expect(wordsOf('requirements.past_due', ['external_account'])).toMatch(/Continue with.*Give a bank account/);
    expect(wordsOf('action_required.requested_capabilities')).toContain('Continue with');
  });
});

test('every finding has a fix', () => {
  const all = priceFindings(
    [price({ currency: 'eur', metadata: { trial_period_in_days: 'x' } }), price({ currency: 'gbp' })],
    US,
  );
  expect(all.length).toBeGreaterThan(2);
  for (const { fix } of [...all, ...priceFindings([], US)]) expect(fix).toMatch(/\w{3}.*\.$/);
});

test('requirements are listed in readable words, each once', () => {
  expect(
    requirementLabels([
      'business_profile.url',
      'individual.dob.day',
      'individual.dob.month',
      'person_1AbC.address.city',
      'tos_acceptance.date',
      'tos_acceptance.ip',
      'business_profile.support_phone',
      'company.tax_id',
      'something.new_and_strange',
    ]),
  ).toEqual([
    'The address of your website',
    'A person’s date of birth',
    'A person’s address',
    'Agreement to Stripe’s terms',
    'How patients reach you for questions',
    'The company’s tax number',
    'Something that Stripe calls “something new and strange”',
  ]);
});
