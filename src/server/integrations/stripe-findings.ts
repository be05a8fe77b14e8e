import type { Finding } from '#contract/integrations.ts';
import type { Context } from '#server/core/context.ts';
import type { Account, Price } from '#server/providers/stripe.ts';
import { requirementLabels } from './requirement-labels.ts';
import { trialDays } from './trial-days.ts';

type Row = [isSo: boolean, finding: Finding];
const those = (rows: Row[]): Finding[] => rows.filter(([isSo]) => isSo).map(([, finding]) => finding);

const MOST_NAMED = 5;
/** Lists the first five names, and how many more there are. */
export const listFirst = (names: string[]): string =>
  names.length > MOST_NAMED
    ? `${names.slice(0, MOST_NAMED).join(', ')} and ${names.length - MOST_NAMED} more`
    : names.join(', ');
/** Upper case, for display. */
const currency = (code: string): string => code.toUpperCase();

/** Reports keys of the wrong mode: test keys in production, or live keys in a sandbox. */
export function keyFindings({ environment, stripe }: Pick<Context['config'], 'environment' | 'stripe'>): Finding[] {
  const keys = [stripe.secretKey, stripe.publishableKey];
  const has = (mode: '_test_' | '_live_') => keys.some((key) => key.includes(mode));
  return those([
    [
      environment === 'production' && has('_test_'),
      {
        code: 'test_key_in_production',
        message: 'This service runs with a test key of Stripe: no payment is real.',
        fix: 'Set STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY to live keys (sk_live_…, pk_live_…), and start again.',
      },
    ],
    [
      environment === 'sandbox' && has('_live_'),
      {
        code: 'live_key_in_sandbox',
        message: 'This is a sandbox, and it runs with a live key of Stripe: payments would be real.',
        fix: 'Set STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY to test keys (sk_test_…, pk_test_…), and start again.',
      },
    ],
  ]);
}

const GO_ON = 'Go on with the account’s details at Stripe.';
/** Reasons of Stripe that require nothing of the account's holder. */
const CHECKING = ['requirements.pending_verification', 'under_review', 'listed'];

/** The reason why charges are disabled. A holder who has submitted everything is not sent to submit more. */
function noPayments({ details_submitted, requirements }: Account): Omit<Finding, 'code'> {
  const reason = requirements?.disabled_reason ?? null;
  if (reason?.startsWith('rejected'))
    return {
      message: 'Stripe has turned this account down, and lets it take no payments.',
      fix: 'Ask Stripe’s support why. To begin with another account, disconnect this one and connect again.',
    };
  const isComplete = details_submitted && (requirements?.currently_due ?? []).length === 0;
  if (isComplete && (reason === null || CHECKING.includes(reason)))
    return {
      message: 'Stripe is checking what was given, and does not let this account take payments yet.',
      fix: 'Nothing has to be done. It may take some days; this page shows when it is over.',
    };
  return { message: 'Stripe does not let this account take payments yet.', fix: GO_ON };
}

export function accountFindings(account: Account): Finding[] {
  const due = requirementLabels(account.requirements?.currently_due ?? []);
  return those([
    [
      !account.details_submitted,
      { code: 'onboarding_incomplete', message: 'Onboarding at Stripe is not finished.', fix: GO_ON },
    ],
    [
      account.details_submitted && due.length > 0,
      { code: 'requirements_due', message: `Stripe asks for more details: ${listFirst(due)}.`, fix: GO_ON },
    ],
    [!account.charges_enabled, { code: 'charges_disabled', ...noPayments(account) }],
    [
      !account.payouts_enabled,
      {
        code: 'payouts_disabled',
        message: 'Stripe does not pay out to this account yet.',
        fix: account.requirements?.currently_due?.includes('external_account')
          ? 'Give a bank account among the account’s details at Stripe.'
          : noPayments(account).fix,
      },
    ],
  ]);
}

/** Problems of the offered prices, and advice. */
export function priceFindings(prices: Price[], account: Pick<Account, 'default_currency'>): Finding[] {
  const offered = prices.filter(({ product }) => product.active);
  const currencies = [...new Set(offered.map((price) => price.currency))].sort();
  const own = account.default_currency ?? null;
  const products = [...new Set(offered.map(({ product }) => product.id))];
  const several = products.flatMap((id) => {
    const [first, ...others] = offered.filter(({ product }) => product.id === id);
    return first && others.length > 0 ? [{ product: first.product, count: 1 + others.length }] : [];
  });
  const inDashboard = 'in the Stripe dashboard, under Product catalog';
  return [
    ...those([
      [
        offered.length === 0,
        {
          code: 'no_active_price',
          message: 'There is no active recurring price, so there is nothing that a patient can subscribe to.',
          fix: `Make a product with a recurring price ${inDashboard}.`,
        },
      ],
      [
        offered.length > 0 && own !== null && !currencies.includes(own),
        {
          code: 'other_currency',
          message: `All prices are in ${currencies.map(currency).join(' and ')}, and the account’s own currency is ${currency(own ?? '')}: Stripe converts each payment, for a fee.`,
          fix: `Make prices in ${currency(own ?? '')} ${inDashboard}, and archive the others.`,
        },
      ],
      [
        currencies.length > 1,
        {
          code: 'mixed_currencies',
          message: `Prices are in several currencies (${currencies.map(currency).join(', ')}); patients see all of them, and one subscription takes one currency only.`,
          fix: `Archive the prices that you do not sell at, ${inDashboard}.`,
        },
      ],
    ]),
    ...offered
      .filter(({ metadata }) => trialDays(metadata).malformed)
      .map(({ id, product }) => ({
        code: 'malformed_trial',
        message: `The price ${id} (${product.name}) has a trial_period_in_days that is no whole number from 1 to 730; it is sold without a trial.`,
        fix: 'Write the number of days alone into the price’s metadata at Stripe, such as 14.',
      })),
    ...several.map(({ product, count }) => ({
      code: 'several_prices',
      message: `${product.name || product.id} has ${count} prices on offer, which patients tell apart by amount and interval only.`,
      fix: 'Nothing has to be done. To have plans told apart by name, make a product for each.',
      advice: true,
    })),
  ];
}
