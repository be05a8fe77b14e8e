import type { Finding } from '#contract/integrations.ts';
import { ENDED_STATUSES } from '#contract/subscription-status.ts';
import type { Context } from '#server/core/context.ts';
import { CarelaneError } from '#server/core/errors.ts';
import type { Account, Price } from '#server/providers/stripe.ts';
import { type Check, saveCheck } from './integration.ts';
import { trialDays } from './stripe-account.ts';

const counted = (count: number, one: string, many: string): string => (count === 1 ? `One ${one}` : `${count} ${many}`);

/** The finding that webhooks have stopped, so changes at Stripe are seen late. */
async function silenceFindings({ db, tenantId }: Context, accountId: string): Promise<Finding[]> {
  const row = await db.stripeReconcile.findFirst({ where: { tenantId, accountId } });
  if (!row?.silentSince) return [];
  const message =
    'Stripe does not report changes at the moment: its webhooks do not arrive. Changes are found by checking, and show late.';
  const fix = 'Check the webhook under Developers at Stripe: its address and its signing secret.';
  return [{ code: 'webhooks_silent', message, fix }];
}

/** Findings about stored subscriptions that no longer match what the account offers. */
async function copyFindings({ db, tenantId }: Context, accountId: string, prices: Price[]): Promise<Finding[]> {
  const used = await db.$queryRaw<{ price: string; account: string; count: number }[]>`
    select item->>'price_id' as price, account_id as account, count(*)::int as count
    from subscriptions cross join lateral jsonb_array_elements(items) as item
    where tenant_id = ${tenantId}::uuid and status <> all(${ENDED_STATUSES}::text[])
    group by 1, 2 order by 3 desc, 1`;
  const offered = new Set(prices.filter(({ product }) => product.active).map(({ id }) => id));
  const archived = used.filter(({ price, account }) => account === accountId && !offered.has(price));
  const former = used.filter(({ account }) => account !== accountId);
  const deleted = await db.processorCustomer.count({ where: { tenantId, accountId, deletedAt: { not: null } } });
  const findings: Finding[] = [];
  if (archived.length > 0) {
    const count = archived.reduce((sum, one) => sum + one.count, 0);
    findings.push({
      code: 'price_archived',
      message: `${counted(count, 'subscription runs', 'subscriptions run')} on prices that are no longer on offer (${listFirst(archived.map(({ price }) => price))}). They renew as before; new patients cannot choose them.`,
      fix: 'To end that, move the subscriptions to another price, or cancel them.',
    });
  }
  if (former.length > 0) {
    const count = former.reduce((sum, one) => sum + one.count, 0);
    const accounts = [...new Set(former.map(({ account }) => account))];
    findings.push({
      code: 'former_account',
      message: `${counted(count, 'subscription belongs', 'subscriptions belong')} to an account that is no longer connected (${listFirst(accounts)}). What happens to them there is not seen here.`,
      fix: 'Cancel them under Subscriptions (at Stripe too when that account gives no access any more), and subscribe the patients again.',
    });
  }
  if (deleted > 0)
    findings.push({
      code: 'customers_deleted',
      message: `${counted(deleted, 'patient was deleted as a customer', 'patients were deleted as customers')} at Stripe, which ended their subscriptions.`,
      fix: 'Nothing has to be done: the next subscription makes a new customer.',
      advice: true,
    });
  return findings;
}

/**
 * Inspects the connected account. It is ready once charges are enabled and all details are submitted (Stripe, "Connect
 * onboarding": reaching the return URL means nothing).
 */
export async function inspectStripe(ctx: Context, accountId: string): Promise<Check> {
  const stripe = ctx.providers.stripeClient(ctx);
  const checkedAt = ctx.clock.now();
  try {
    const account = await stripe.getAccount(accountId);
    const prices = await stripe.listPrices(accountId);
    // Findings that affect payments or the events about them.
    const degrading = [...keyFindings(ctx.config), ...(await silenceFindings(ctx, accountId))];
    const isReady = account.charges_enabled && account.details_submitted;
    return {
      accountId,
      checkedAt,
      status: isReady && degrading.length === 0 ? 'connected' : 'degraded',
      details: {
        charges_enabled: account.charges_enabled,
        payouts_enabled: account.payouts_enabled,
        details_submitted: account.details_submitted,
        country: account.country ?? null,
        default_currency: account.default_currency ?? null,
        active_prices: prices.length,
      },
      requirements: requirementLabels(account.requirements?.currently_due ?? []),
      findings: [
        ...degrading,
        ...accountFindings(account),
        // Prices do not matter until charges are enabled.
        ...(isReady ? priceFindings(prices, account) : []),
        ...(await copyFindings(ctx, accountId, prices)),
      ],
    };
  } catch (error) {
    if (!(error instanceof CarelaneError) || error.code !== 'integration_not_connected') throw error;
    return accessRevokedCheck(ctx, accountId);
  }
}

const ACCESS_REVOKED = 'access_revoked';

/** The holder revoked the access or closed the account, or the service's key belongs to another platform. */
const accessRevokedCheck = ({ clock }: Context, accountId: string): Check => ({
  accountId,
  checkedAt: clock.now(),
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

/** Processes an event of Stripe that the connected account changed, or (`isRevoked`) that its access was revoked. */
export async function refreshStripeAccount(ctx: Context, accountId: string, isRevoked: boolean): Promise<void> {
  const where = { tenantId: ctx.tenantId, provider: 'stripe', accountId, status: { not: 'disconnected' } };
  if ((await ctx.db.integration.count({ where })) === 0) return;
  const check = isRevoked ? accessRevokedCheck(ctx, accountId) : await inspectStripe(ctx, accountId);
  await saveCheck(ctx, 'stripe', check);
}

/**
 * Notes when webhooks have stopped: an event from Stripe's list has waited for its webhook longer than the bound, and
 * no webhook has arrived since. Emits `integration.degraded`, and `integration.recovered` when one arrives again.
 */
export async function recordStripeSilence(ctx: Context, accountId: string): Promise<void> {
  const { tenantId, db, clock, config } = ctx;
  const since = await silentSince(ctx, accountId);
  const where = { tenantId, accountId };
  const before = await db.stripeReconcile.findFirst({ where });
  const isLong = since !== null && clock.now().getTime() - since.getTime() >= config.stripe.reconcileMs;
  if (isLong === (before?.silentSince !== null)) return;
  await db.stripeReconcile.updateMany({ where, data: { silentSince: isLong ? since : null } });
  await saveCheck(ctx, 'stripe', await inspectStripe(ctx, accountId));
}

/** The time of the first event after the last webhook that no webhook delivered, or null. */
async function silentSince({ db, tenantId }: Context, accountId: string): Promise<Date | null> {
  const [row] = await db.$queryRaw<{ since: Date | null }[]>`
    select min(received_at) as since from inbound_events
    where tenant_id = ${tenantId}::uuid and provider = 'stripe' and account_id = ${accountId}
      and found_by is not null and delivered_at is null
      and received_at > coalesce((
        select max(greatest(received_at, delivered_at)) from inbound_events
        where tenant_id = ${tenantId}::uuid and provider = 'stripe' and account_id = ${accountId}
          and (found_by is null or delivered_at is not null)), '-infinity')`;
  return row?.since ?? null;
}

type FindingRule = [applies: boolean, finding: Finding];
const applicable = (rows: FindingRule[]): Finding[] =>
  rows.filter(([applies]) => applies).map(([, finding]) => finding);

const MAX_NAMED = 5;
/** Lists the first five names, and how many more there are. */
const listFirst = (names: string[]): string =>
  names.length > MAX_NAMED
    ? `${names.slice(0, MAX_NAMED).join(', ')} and ${names.length - MAX_NAMED} more`
    : names.join(', ');
/** Upper case, for display. */
const currency = (code: string): string => code.toUpperCase();

/** Reports keys of the wrong mode: test keys in production, or live keys in a sandbox. */
export function keyFindings({ environment, stripe }: Pick<Context['config'], 'environment' | 'stripe'>): Finding[] {
  const keys = [stripe.secretKey, stripe.publishableKey];
  const has = (mode: '_test_' | '_live_') => keys.some((key) => key.includes(mode));
  return applicable([
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

const CONTINUE_ONBOARDING = 'Continue with the account’s details at Stripe.';
/** Reasons of Stripe that require nothing of the account's holder. */
const CHECKING = ['requirements.pending_verification', 'under_review', 'listed'];

/** The reason why charges are disabled. A holder who has submitted everything is not sent to submit more. */
function noPayments({ details_submitted, requirements }: Account): Omit<Finding, 'code'> {
  const reason = requirements?.disabled_reason ?? null;
  if (reason?.startsWith('rejected'))
    return {
      message: 'Stripe has rejected this account, which cannot take payments.',
      fix: 'Ask Stripe’s support why. To begin with another account, disconnect this one and connect again.',
    };
  const isComplete = details_submitted && (requirements?.currently_due ?? []).length === 0;
  if (isComplete && (reason === null || CHECKING.includes(reason)))
    return {
      message: 'Stripe is checking what was given, and does not let this account take payments yet.',
      fix: 'Nothing has to be done. It may take some days; this page shows when it is over.',
    };
  return { message: 'Stripe does not let this account take payments yet.', fix: CONTINUE_ONBOARDING };
}

export function accountFindings(account: Account): Finding[] {
  const due = requirementLabels(account.requirements?.currently_due ?? []);
  return applicable([
    [
      !account.details_submitted,
      { code: 'onboarding_incomplete', message: 'Onboarding at Stripe is not finished.', fix: CONTINUE_ONBOARDING },
    ],
    [
      account.details_submitted && due.length > 0,
      {
        code: 'requirements_due',
        message: `Stripe asks for more details: ${listFirst(due)}.`,
        fix: CONTINUE_ONBOARDING,
      },
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
  const onPage = 'under Plans';
  return [
    ...applicable([
      [
        offered.length === 0,
        {
          code: 'no_active_price',
          message: 'There is no active recurring price, so there is nothing that a patient can subscribe to.',
          fix: `Make a plan ${onPage}.`,
        },
      ],
      [
        offered.length > 0 && own !== null && !currencies.includes(own),
        {
          code: 'other_currency',
          message: `All prices are in ${currencies.map(currency).join(' and ')}, and the account’s own currency is ${currency(own ?? '')}: Stripe converts each payment, for a fee.`,
          fix: `Change the prices to ${currency(own ?? '')} ${onPage}.`,
        },
      ],
      [
        currencies.length > 1,
        {
          code: 'mixed_currencies',
          message: `Prices are in several currencies (${currencies.map(currency).join(', ')}); patients see all of them, and one subscription takes one currency only.`,
          fix: `Archive the plans that you do not sell, ${onPage}.`,
        },
      ],
    ]),
    ...offered
      .filter(({ metadata }) => trialDays(metadata).malformed)
      .map(({ id, product }) => ({
        code: 'malformed_trial',
        message: `The price ${id} (${product.name}) has a trial_period_in_days that is not a whole number from 1 to 730; it is sold without a trial.`,
        fix: 'Edit the plan under Plans, and write the number of days, such as 14.',
      })),
    ...several.map(({ product, count }) => ({
      code: 'several_prices',
      message: `${product.name || product.id} has ${count} prices on offer, which patients tell apart by amount and interval only.`,
      fix: 'Nothing has to be done. To have plans told apart by name, make a product for each.',
      advice: true,
    })),
  ];
}

/** Labels of Stripe's account requirements by name prefix; the first match wins. */
const LABELS: [begins: string, words: string][] = [
  ['external_account', 'A bank account for payouts'],
  ['tos_acceptance', 'Agreement to Stripe’s terms'],
  ['business_profile.url', 'The address of your website'],
  ['business_profile.mcc', 'What kind of business you are'],
  ['business_profile.product_description', 'What you sell, in a sentence'],
  ['business_profile.support_phone', 'How patients reach you for questions'],
  ['business_profile.support_email', 'How patients reach you for questions'],
  ['business_profile.support_address', 'How patients reach you for questions'],
  ['business_profile.support_url', 'How patients reach you for questions'],
  ['business_profile.name', 'The name of your business'],
  ['business_profile', 'Details about your business'],
  ['business_type', 'Whether you are a company or one person'],
  ['settings.payments.statement_descriptor', 'The text on card statements'],
  ['company.verification', 'A document that proves the company'],
  ['company.tax_id', 'The company’s tax number'],
  ['company.address', 'The company’s address'],
  ['company.phone', 'The company’s phone number'],
  ['company.owners_provided', 'Who owns the company'],
  ['company.directors_provided', 'Who directs the company'],
  ['company.executives_provided', 'Who runs the company'],
  ['company', 'Details about the company'],
  ['verification', 'A document that proves who a person is'],
  ['id_number', 'A person’s tax or social security number'],
  ['ssn_last_4', 'The last four digits of a person’s social security number'],
  ['dob', 'A person’s date of birth'],
  ['address', 'A person’s address'],
  ['email', 'A person’s email address'],
  ['phone', 'A person’s phone number'],
  ['first_name', 'A person’s name'],
  ['last_name', 'A person’s name'],
  ['relationship', 'What a person does in the company'],
];
/** Prefixes of persons: `individual.dob.day`, `person_1ABC.verification.document`, `representative.email`. */
const OF_PERSON = /^(?:individual|representative|owners|directors|executives|person_[^.]+)\./;

/** Returns the labels of the requirements, each once. A requirement without a label is shown by its name. */
export function requirementLabels(names: readonly string[]): string[] {
  return [...new Set(names.map(labelOf))];
}

function labelOf(name: string): string {
  const field = name.replace(OF_PERSON, '');
  const label = LABELS.find(([begins]) => field === begins || field.startsWith(`${begins}.`));
  return label?.[1] ?? `Something that Stripe calls “${name.replaceAll(/[._]/g, ' ')}”`;
}
