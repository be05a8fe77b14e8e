import type { Ledger } from '../ledger.ts';
import type { Account, StripeObject } from '../objects.ts';
import { invalidRequest, noSuch } from '../wire/errors.ts';
import { type Operation, operation } from '../wire/operation.ts';
import { presentList, type Wire } from '../wire/present.ts';

/** Builds the outstanding requirements of an account, without a deadline. */
export function requirements(due: string[]) {
  return {
    alternatives: [],
    current_deadline: null,
    currently_due: due,
    disabled_reason: due.length > 0 ? 'requirements.past_due' : null,
    errors: [],
    eventually_due: due,
    past_due: due,
    pending_verification: [],
  };
}

/**
 * Returns a connected account of the platform, or the platform's own account.
 * @throws ErrorReply `account_invalid` (403)
 */
export function accountOf(ledger: Ledger, id: string): Account {
  const data = ledger.world.state.accounts[id];
  if (!data || data.account._deauthorized) {
    const message = `The provided key does not have access to account '${id}' (or that account does not exist). Application access may have been revoked.`;
    throw invalidRequest(message, { code: 'account_invalid' }, 403);
  }
  return data.account;
}

function capability(account: Account, name: string): Wire {
  const status = account.capabilities[name]!;
  const due = requirements(status === 'active' ? [] : ((account.requirements.currently_due as string[]) ?? []));
  return {
    id: name,
    object: 'capability',
    account: account.id,
    future_requirements: requirements([]),
    requested: true,
    requested_at: account.created,
    requirements: { ...due, disabled_reason: status === 'active' ? null : 'requirements.fields_needed' },
    status,
  };
}

/** Emits an event for each capability whose status changed. */
export function emitCapabilityUpdates(ledger: Ledger, before: Record<string, string>): void {
  const { account } = ledger.data;
  for (const [name, status] of Object.entries(account.capabilities)) {
    if (status === before[name]) continue;
    ledger.emit('capability.updated', capability(account, name) as StripeObject, { status: before[name] ?? null });
  }
}

const CAPABILITIES = '/v1/accounts/:account/capabilities';

export const capabilities: Operation[] = [
  operation('GET', CAPABILITIES, {}, ({ path, ledger }) => {
    const account = accountOf(ledger, path.account);
    const all = Object.keys(account.capabilities).map((name) => capability(account, name));
    return presentList(`/v1/accounts/${account.id}/capabilities`, all);
  }),
  operation('GET', `${CAPABILITIES}/:id`, {}, ({ path, ledger }) => {
    const account = accountOf(ledger, path.account);
    if (!Object.hasOwn(account.capabilities, path.id)) throw noSuch('capability', path.id, 'id');
    return capability(account, path.id);
  }),
];
