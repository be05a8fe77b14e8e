import type { IntegrationView } from '#contract/integrations.ts';
import { zoneName } from '#web/ui/format-time.ts';

type Value = string | number | boolean;

const LOCALE = 'en-US';
const yesOrNo = (value: Value) => (value ? 'Yes' : 'Not yet');
const named = (type: 'region' | 'currency') => (value: Value) =>
  new Intl.DisplayNames(LOCALE, { type, fallback: 'code' }).of(String(value).toUpperCase()) ?? String(value);

/** Details of a provider's account that are displayed, and their format; others are for programs. */
const DETAILS: Record<string, [term: string, say: (value: Value) => string]> = {
  charges_enabled: ['Can take payments', yesOrNo],
  payouts_enabled: ['Pays out to your bank', yesOrNo],
  details_submitted: ['All details given', yesOrNo],
  country: ['Country', named('region')],
  default_currency: ['Currency', named('currency')],
  active_prices: ['Prices on offer', String],
  name: ['Name', String],
  time_zone: ['Time zone', (value) => zoneName(String(value))],
  webhook_id: ['Tells us of changes', () => 'Yes'],
};

/** An account's details in terms that clinic staff know. */
export function accountDetails(details: IntegrationView['details']): { term: string; value: string }[] {
  return Object.entries(DETAILS).flatMap(([key, [term, format]]) => {
    const value = details[key];
    return value === null || value === undefined ? [] : [{ term, value: format(value) }];
  });
}
