import { z } from 'zod';
import type { World } from '../../core/route.ts';
import { newId, randomText } from '../ids.ts';
import { openLedger } from '../ledger.ts';
import type { Account } from '../objects.ts';
import type { StripeEmulatorOptions } from '../options.ts';
import { newAccountData, type StripeState } from '../state.ts';
import { invalidRequest } from '../wire/errors.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { currency, flag, mergeMetadata, metadata, paging, text } from '../wire/params.ts';
import { present, presentList } from '../wire/present.ts';
import { accountOf, emitCapabilityUpdates, requirements } from './capabilities.ts';

const REQUIREMENTS = ['business_profile.url', 'external_account', 'tos_acceptance.date', 'tos_acceptance.ip'];
const LINK_SECONDS = 300;

const writable = {
  business_profile: z
    .partialRecord(z.enum(['mcc', 'name', 'product_description', 'support_email', 'support_phone', 'url']), text)
    .optional(),
  business_type: z.enum(['company', 'government_entity', 'individual', 'non_profit']).optional(),
  capabilities: z.record(text, z.strictObject({ requested: flag })).optional(),
  default_currency: currency.optional(),
  email: text.optional(),
  metadata: metadata.optional(),
};
const controller = z.strictObject({
  fees: z.strictObject({ payer: z.enum(['account', 'application']) }).optional(),
  losses: z.strictObject({ payments: z.enum(['application', 'stripe']) }).optional(),
  requirement_collection: z.enum(['application', 'stripe']).optional(),
  stripe_dashboard: z.strictObject({ type: z.enum(['express', 'full', 'none']) }).optional(),
});

/** Builds an account. A `ready` one can charge immediately, others after onboarding. */
export function newAccount(id: string, created: number, ready: boolean, input: Partial<Account> = {}): Account {
  return {
    id,
    object: 'account',
    business_profile: {
      mcc: null,
      minority_owned_business_designation: null,
      name: null,
      product_description: null,
      specified_commercial_transactions_act_url: null,
      support_address: null,
      support_email: null,
      support_phone: null,
      support_url: null,
      url: null,
    },
    business_type: null,
    capabilities: {},
    charges_enabled: ready,
    controller: { type: ready ? 'account' : 'application' },
    country: 'US',
    created,
    default_currency: 'usd',
    details_submitted: ready,
    email: null,
    external_accounts: presentList(`/v1/accounts/${id}/external_accounts`, []),
    future_requirements: requirements([]),
    metadata: {},
    payouts_enabled: ready,
    requirements: requirements(ready ? [] : REQUIREMENTS),
    settings: {
      card_payments: {
        decline_on: { avs_failure: false, cvc_failure: false },
        statement_descriptor_prefix: null,
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
      branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
      dashboard: { display_name: null, timezone: 'Etc/UTC' },
      payments: {
        statement_descriptor: null,
        statement_descriptor_kana: null,
        statement_descriptor_kanji: null,
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
    },
    tos_acceptance: { date: null, ip: null, user_agent: null },
    type: 'standard',
    ...input,
  };
}

/** Completes onboarding as the account holder does on Stripe's pages: enables charges and payouts. */
export function completeOnboarding(
  world: World<StripeState>,
  options: StripeEmulatorOptions,
  accountId: string,
): Account {
  const ledger = openLedger(world, options, accountId);
  const { account } = ledger.data;
  const before = { ...account.capabilities };
  ledger.change('account.updated', account, () => {
    account.details_submitted = true;
    account.charges_enabled = true;
    account.payouts_enabled = true;
    account.requirements = requirements([]);
    account.capabilities = Object.fromEntries(Object.keys(account.capabilities).map((name) => [name, 'active']));
    account.tos_acceptance = { date: ledger.now(), ip: '127.0.0.1', user_agent: null };
  });
  emitCapabilityUpdates(ledger, before);
  return account;
}

/** Restricts an account: Stripe requires more information and disables charges and payouts. */
export function restrictAccount(world: World<StripeState>, options: StripeEmulatorOptions, accountId: string): Account {
  const ledger = openLedger(world, options, accountId);
  const { account } = ledger.data;
  const before = { ...account.capabilities };
  ledger.change('account.updated', account, () => {
    account.charges_enabled = false;
    account.payouts_enabled = false;
    account.requirements = requirements(['individual.verification.document']);
    account.capabilities = Object.fromEntries(Object.keys(account.capabilities).map((name) => [name, 'inactive']));
  });
  emitCapabilityUpdates(ledger, before);
  return account;
}

function requestedCapabilities(input: Record<string, { requested: boolean }> | undefined, ready: boolean) {
  const requestedEntries = Object.entries(input ?? {}).filter(([, { requested }]) => requested);
  return Object.fromEntries(requestedEntries.map(([name]) => [name, ready ? 'active' : 'inactive']));
}

export const accounts: Operation[] = [
  operation(
    'POST',
    '/v1/accounts',
    {
      ...writable,
      controller: controller.optional(),
      country: text.length(2).optional(),
      type: z.enum(['standard', 'express', 'custom']).optional(),
    },
    ({ input, ledger }) => {
      const {
        expand: _,
        capabilities,
        controller: controllerInput,
        country,
        metadata: values,
        type,
        business_profile,
        ...rest
      } = input as typeof input & { expand: string[] };
      if (type && controllerInput)
        throw invalidRequest('You may only specify one of these parameters: type, controller.');
      const dashboards: Record<string, string> = { full: 'standard', express: 'express', none: 'none' };
      const account = newAccount(`acct_1${randomText(15)}`, ledger.now(), false, {
        ...rest,
        capabilities: requestedCapabilities(capabilities, false),
        controller: { type: 'application', is_controller: true, ...controllerInput },
        country: country?.toUpperCase() ?? 'US',
        metadata: values ?? {},
        type: type ?? dashboards[controllerInput?.stripe_dashboard?.type ?? 'full']!,
      });
      Object.assign(account.business_profile as object, business_profile);
      ledger.world.state.accounts[account.id] = newAccountData(account);
      return present(account, ledger.data);
    },
  ),
  operation('GET', '/v1/accounts', paging, ({ input, ledger }) => {
    const { accounts: all, platform } = ledger.world.state;
    const connected = Object.entries(all)
      .filter(([id, { account }]) => id !== platform && !account._deauthorized)
      .reverse();
    const from = input.starting_after ? connected.findIndex(([id]) => id === input.starting_after) + 1 : 0;
    const page = connected.slice(from, from + (input.limit ?? 10)).map(([, data]) => present(data.account, data));
    return presentList('/v1/accounts', page, connected.length > from + page.length);
  }),
  operation('GET', '/v1/account', {}, ({ ledger }) => present(ledger.data.account, ledger.data)),
  operation('GET', '/v1/accounts/:id', {}, ({ path, ledger }) => present(accountOf(ledger, path.id), ledger.data)),
  operation('POST', '/v1/accounts/:id', writable, ({ input, path, ledger }) => {
    const {
      expand: _,
      capabilities,
      metadata: values,
      business_profile,
      ...rest
    } = input as typeof input & { expand: string[] };
    const account = accountOf(ledger, path.id);
    const own = openLedger(ledger.world, ledger.options, account.id, ledger.cause);
    own.change('account.updated', account, () => {
      Object.assign(account, rest, { metadata: mergeMetadata(account.metadata, values) });
      Object.assign(account.business_profile as object, business_profile);
      Object.assign(account.capabilities, requestedCapabilities(capabilities, account.charges_enabled));
    });
    return present(account, ledger.data);
  }),
  operation('DELETE', '/v1/accounts/:id', {}, ({ path, ledger }) => {
    const account = accountOf(ledger, path.id);
    if (account.id === ledger.world.state.platform)
      throw invalidRequest('You cannot delete your own account with its own key.', { param: 'id' });
    account._deauthorized = true;
    return { id: account.id, object: 'account', deleted: true };
  }),
  operation(
    'POST',
    '/v1/account_links',
    {
      account: text,
      type: z.enum(['account_onboarding', 'account_update']),
      refresh_url: text.optional(),
      return_url: text.optional(),
      collection_options: z.strictObject({ fields: z.enum(['currently_due', 'eventually_due']) }).optional(),
    },
    ({ input, ledger }) => {
      const account = accountOf(ledger, input.account);
      if (input.type === 'account_update') {
        throw invalidRequest(
          'You cannot create `account_update` type Account Links for this account. You can only create `account_onboarding` type Account Links.',
          { param: 'type' },
        );
      }
      for (const name of ['refresh_url', 'return_url'] as const) {
        if (!input[name])
          throw invalidRequest(`Missing required param: ${name}.`, { code: 'parameter_missing', param: name });
      }
      const created = ledger.world.clock.nowSeconds();
      const token = newId('link');
      const links = (account._links ?? {}) as Record<string, object>;
      account._links = {
        ...links,
        [token]: { expires_at: created + LINK_SECONDS, refresh_url: input.refresh_url, return_url: input.return_url },
      };
      return {
        object: 'account_link',
        created,
        expires_at: created + LINK_SECONDS,
        url: `${ledger.world.baseUrl}/setup/${account.id}/${token}`,
      };
    },
  ),
];
