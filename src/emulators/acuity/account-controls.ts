import { z } from 'zod';
import type { Route } from '../core/route.ts';
import type { World } from '../core/world.ts';
import { AccountInput } from './account-input.ts';
import { changeAccount, putAccount } from './put-account.ts';
import { readControl } from './read-control.ts';
import type { Account, AcuityState } from './state.ts';

const PATH = '/_emulator/accounts/:userId';

const UserId = z.string().regex(/^\d+$/, 'the user id is a number');

/**
 * The account management that a person does in Acuity's own settings.
 *
 * - `PUT /_emulator/accounts/{userId}` `AccountInput` with `apiKey`: replaces the account
 * - `PATCH` the same path: replaces the given parts and keeps the appointments
 * - `GET`, `DELETE` the same path
 */
export const accountControls: Route<AcuityState>[] = [
  {
    method: 'PUT',
    path: PATH,
    handle({ params, body }, { state }) {
      const userId = readControl(UserId, params.userId);
      const input = readControl(AccountInput.required({ apiKey: true }), body);
      return { status: 200, body: putAccount(state, userId, input) };
    },
  },
  {
    method: 'PATCH',
    path: PATH,
    handle({ params, body }, world) {
      const account = changeAccount(structuredClone(find(world, params.userId)), readControl(AccountInput, body));
      world.state.accounts[account.userId] = account;
      return { status: 200, body: account };
    },
  },
  { method: 'GET', path: PATH, handle: ({ params }, world) => ({ status: 200, body: find(world, params.userId) }) },
  {
    method: 'DELETE',
    path: PATH,
    handle({ params }, world) {
      delete world.state.accounts[find(world, params.userId).userId];
      return { status: 204 };
    },
  },
];

function find({ state }: World<AcuityState>, userId = ''): Account {
  const account = Object.hasOwn(state.accounts, userId) ? state.accounts[userId] : undefined;
  if (!account) throw new TypeError(`There is no account ${userId}`);
  return account;
}
