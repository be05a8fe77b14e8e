import type { EmulatorRequest } from '../../core/route.ts';
import type { StripeEmulatorOptions } from '../options.ts';
import type { StripeState } from '../state.ts';
import { invalidRequest, stripeError } from './errors.ts';

export interface Caller {
  access: 'secret' | 'publishable';
  accountId: string;
}

/**
 * Identifies the caller by the API key and the account (`Stripe-Account`, or `_stripe_account` from Stripe.js).
 * @throws Refusal 401 for a missing or unknown key, 403 `account_invalid`
 */
export function identifyCaller(request: EmulatorRequest, options: StripeEmulatorOptions, state: StripeState): Caller {
  const given = { ...request.query, ...(request.body as Record<string, unknown>) };
  const key = keyOf(request) ?? (typeof given.key === 'string' ? given.key : undefined);
  if (!key) {
    const message =
      'You did not provide an API key. Provide it as `Authorization: Bearer YOUR_SECRET_KEY`, or as basic auth username.';
    throw stripeError(401, { type: 'invalid_request_error', message });
  }
  const access = options.secretKeys.includes(key)
    ? 'secret'
    : options.publishableKeys.includes(key)
      ? 'publishable'
      : null;
  if (!access)
    throw stripeError(401, { type: 'invalid_request_error', message: `Invalid API Key provided: ${masked(key)}` });
  const account = request.headers['stripe-account'] ?? given._stripe_account ?? state.platform;
  if (typeof account !== 'string' || !mayActOn(state, account)) {
    const message = `The provided key '${masked(key)}' does not have access to account '${String(account)}' (or that account does not exist). Application access may have been revoked.`;
    throw invalidRequest(message, { code: 'account_invalid' }, 403);
  }
  return { access, accountId: account };
}

function mayActOn({ accounts }: StripeState, account: string): boolean {
  return Object.hasOwn(accounts, account) && accounts[account]!.account._deauthorized !== true;
}

function keyOf({ headers: { authorization = '' } }: EmulatorRequest): string | undefined {
  const [scheme = '', value = ''] = authorization.split(' ');
  if (/^bearer$/i.test(scheme)) return value;
  if (/^basic$/i.test(scheme)) return Buffer.from(value, 'base64').toString('utf8').split(':')[0];
  return undefined;
}

function masked(key: string): string {
  return `${key.slice(0, 8)}****${key.slice(-4)}`;
}
