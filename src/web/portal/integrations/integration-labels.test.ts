import { expect, test } from 'vitest';
import { accountDetails, boundLabel, relayFindings, repairLabel } from './integration-labels.ts';

test.each([
  ['status:canceled', 'A subscription was brought up to date: it has ended'],
  ['status:past_due', 'A subscription was brought up to date: a payment is due'],
  ['details', 'The details of a subscription were brought up to date'],
  ['adopted', 'A subscription that was made at Stripe was taken in'],
  ['customer_deleted', 'A customer was deleted at Stripe'],
])('describes the repair %s in words', (what, label) => {
  expect(repairLabel({ what })).toBe(label);
});

test('shows a bound of two minutes or more in minutes', () => {
  expect(boundLabel({ bound_seconds: 900 })).toBe('15 minutes');
  expect(boundLabel({ bound_seconds: 60 })).toBe('60 seconds');
});

test('describes an account in words', () => {
  const details = {
    charges_enabled: true,
    payouts_enabled: false,
    details_submitted: true,
    country: 'US',
    default_currency: 'usd',
    active_prices: 4,
  };
  expect(accountDetails(details)).toEqual([
    { term: 'Can take payments', value: 'Yes' },
    { term: 'Pays out to your bank', value: 'Not yet' },
    { term: 'All details given', value: 'Yes' },
    { term: 'Country', value: 'United States' },
    { term: 'Currency', value: 'US Dollar' },
    { term: 'Prices on offer', value: '4' },
  ]);
});

test('leaves out unknown details and those that are meant for programs', () => {
  const details = { name: 'Riverbend', time_zone: 'America/New_York', webhook_id: null, something_new: 'x' };
  expect(accountDetails(details)).toEqual([
    { term: 'Name', value: 'Riverbend' },
    { term: 'Time zone', value: 'New York' },
  ]);
});

test('says what to open for a relay that answers and passes nothing on, not for one that rejects us', () => {
  const [works, failed] = [
    { works: true, tookMs: 2 },
    { works: false, tookMs: 0 },
  ];
  const servers = (isUp: boolean) => ({ servers: [{ url: 'turn:turn.example.test', works: isUp, words: '' }] });
  expect(relayFindings(servers(true), failed)[0]?.fix).toMatch(/min-port.*external-ip/);
  for (const quiet of [relayFindings(servers(true), works), relayFindings(servers(true), null)])
    expect(quiet).toEqual([]);
  expect(relayFindings(servers(false), failed)).toEqual([]);
});
