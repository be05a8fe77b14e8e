import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { stripeOf } from '#server/providers/stripe.ts';
import { requirementWords } from './requirement-words.ts';
import type { Check } from './save-check.ts';
import { copyFindings, silenceFindings } from './stripe-copies.ts';
import { accountFindings, keyFindings, priceFindings } from './stripe-findings.ts';

/**
 * Inspects the connected account. It is ready once charges are enabled and all details are submitted (Stripe, "Connect
 * onboarding": reaching the return URL means nothing).
 */
export async function inspectStripe(ctx: Context, accountId: string): Promise<Check> {
  const stripe = stripeOf(ctx);
  try {
    const account = await stripe.getAccount(accountId);
    const prices = await stripe.listPrices(accountId);
    // Findings that affect payments or the events about them.
    const hindering = [...keyFindings(ctx.config), ...(await silenceFindings(ctx, accountId))];
    const isReady = account.charges_enabled && account.details_submitted;
    return {
      accountId,
      status: isReady && hindering.length === 0 ? 'connected' : 'degraded',
      details: {
        charges_enabled: account.charges_enabled,
        payouts_enabled: account.payouts_enabled,
        details_submitted: account.details_submitted,
        country: account.country ?? null,
        default_currency: account.default_currency ?? null,
        active_prices: prices.length,
      },
      requirements: requirementWords(account.requirements?.currently_due ?? []),
      findings: [
        ...hindering,
        ...accountFindings(account),
        // Prices do not matter until charges are enabled.
        ...(isReady ? priceFindings(prices, account) : []),
        ...(await copyFindings(ctx, accountId, prices)),
      ],
    };
  } catch (error) {
    if (!(error instanceof CarelaneError) || error.code !== 'integration_not_connected') throw error;
    return goneCheck(accountId);
  }
}

const ACCESS_REVOKED = 'access_revoked';

/** The holder revoked the access or closed the account, or the service's key belongs to another platform. */
export const goneCheck = (accountId: string): Check => ({
  accountId,
  status: 'disconnected',
  details: {},
  findings: [
    {
      code: ACCESS_REVOKED,
      message: 'Stripe gives no access to this account any more.',
      fix: 'Connect Stripe again: the account comes back if Stripe gives access to it again; otherwise a new one is made.',
    },
  ],
});

/** Filters integrations that lost access to their account, unlike those that an admin disconnected. */
export const WITHOUT_ACCESS = {
  provider: 'stripe',
  status: 'disconnected',
  findings: { array_contains: [{ code: ACCESS_REVOKED }] },
};
