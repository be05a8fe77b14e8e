import type { Finding } from '#contract/settings.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { type Account, type Price, stripeOf } from '#server/providers/stripe.ts';
import type { Check } from './save-check.ts';
import { copyFindings, silenceFindings } from './stripe-copies.ts';
import { trialDays } from './trial-days.ts';

/**
 * Looks at the connected account: ready once it may charge and its holder has given all details (Stripe, "Connect
 * onboarding": reaching the return address means nothing).
 */
export async function inspectStripe(ctx: Context, accountId: string): Promise<Check> {
  const stripe = stripeOf(ctx);
  try {
    const account = await stripe.getAccount(accountId);
    const prices = await stripe.listPrices(accountId);
    const silence = await silenceFindings(ctx, accountId);
    const isReady = account.charges_enabled && account.details_submitted;
    return {
      status: isReady && silence.length === 0 ? 'connected' : 'degraded',
      details: {
        charges_enabled: account.charges_enabled,
        payouts_enabled: account.payouts_enabled,
        details_submitted: account.details_submitted,
        country: account.country ?? null,
        default_currency: account.default_currency ?? null,
        active_prices: prices.length,
      },
      findings: [
        ...silence,
        ...accountFindings(account),
        ...priceFindings(prices),
        ...(await copyFindings(ctx, accountId, prices)),
      ],
    };
  } catch (error) {
    if (!(error instanceof CarelaneError) || error.code !== 'integration_not_connected') throw error;
    const message = 'Stripe gives no access to this account any more.';
    return { status: 'disconnected', details: {}, findings: [{ code: 'access_revoked', message }] };
  }
}

function accountFindings(account: Account): Finding[] {
  const due = account.requirements?.currently_due?.length ?? 0;
  const findings: [wrong: boolean, code: string, message: string][] = [
    [!account.details_submitted, 'onboarding_incomplete', 'Onboarding at Stripe is not finished.'],
    [account.details_submitted && due > 0, 'requirements_due', `Stripe asks for more details (${due}).`],
    [!account.charges_enabled, 'charges_disabled', 'Stripe does not let this account take payments yet.'],
    [!account.payouts_enabled, 'payouts_disabled', 'Stripe does not pay out to this account yet.'],
  ];
  return findings.filter(([wrong]) => wrong).map(([, code, message]) => ({ code, message }));
}

function priceFindings(prices: Price[]): Finding[] {
  return prices
    .filter(({ metadata }) => trialDays(metadata).malformed)
    .map(({ id, product }) => ({
      code: 'malformed_trial',
      message: `The price ${id} (${product.name}) has a trial_period_in_days that is no whole number from 1 to 730; it is sold without a trial.`,
    }));
}
