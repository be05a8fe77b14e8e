import { expect, test } from 'vitest';
import { accountDetails } from './account-details.ts';

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
