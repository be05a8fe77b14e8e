import { timingSafeEqual } from 'node:crypto';
import type { EmulatorRequest } from '../core/route.ts';
import { acuityError } from './errors.ts';
import type { Account, AcuityState } from './state.ts';

/**
 * Authenticates by HTTP Basic with the account's numeric user id and its API key.
 * @throws Refusal `unauthorized`
 */
export function authenticate({ headers }: EmulatorRequest, state: AcuityState): Account {
  const [scheme, token = ''] = (headers.authorization ?? '').split(' ');
  const [userId = '', ...rest] = Buffer.from(token, 'base64').toString('utf8').split(':');
  const account = Object.hasOwn(state.accounts, userId) ? state.accounts[userId] : undefined;
  if (scheme?.toLowerCase() !== 'basic' || !account || !same(rest.join(':'), account.apiKey)) {
    throw acuityError('unauthorized');
  }
  return account;
}

function same(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
