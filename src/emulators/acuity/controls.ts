import { z } from 'zod';
import type { Route } from '../core/route.ts';
import type { World } from '../core/world.ts';
import { AccountInput } from './account-input.ts';
import { changeAccount, putAccount } from './put-account.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Account, AcuityState } from './state.ts';

const ACCOUNT = '/_emulator/accounts/:userId';

const RateLimitInput = z.strictObject({
  enabled: z.boolean().default(true),
  perSecond: z.int().min(1).default(10),
  concurrent: z.int().min(1).default(20),
});

/**
 * What a person does in the service's own settings.
 *
 * - `PUT /_emulator/accounts/{userId}` `AccountInput` with `apiKey`: makes the account anew
 * - `PATCH` the same path: replaces the named parts and keeps the appointments
 * - `GET`, `DELETE` the same path
 * - `PUT /_emulator/rate-limit` `{enabled?, perSecond?, concurrent?}`
 */
export function accountControls(setRateLimit: (limit: RateLimit | null) => void): Route<AcuityState>[] {
  return [
    {
      method: 'PUT',
      path: ACCOUNT,
      handle({ params, body }, { state }) {
        const userId = z.string().regex(/^\d+$/, 'the user id is a number').safeParse(params.userId);
        const input = read(AccountInput.required({ apiKey: true }), body);
        return { status: 200, body: putAccount(state, valid(userId), input) };
      },
    },
    {
      method: 'PATCH',
      path: ACCOUNT,
      handle({ params, body }, world) {
        const account = changeAccount(structuredClone(find(world, params.userId)), read(AccountInput, body));
        world.state.accounts[account.userId] = account;
        return { status: 200, body: account };
      },
    },
    {
      method: 'GET',
      path: ACCOUNT,
      handle: ({ params }, world) => ({ status: 200, body: find(world, params.userId) }),
    },
    {
      method: 'DELETE',
      path: ACCOUNT,
      handle({ params }, world) {
        delete world.state.accounts[find(world, params.userId).userId];
        return { status: 204 };
      },
    },
    {
      method: 'PUT',
      path: '/_emulator/rate-limit',
      handle({ body }) {
        const { enabled, perSecond, concurrent } = read(RateLimitInput, body);
        setRateLimit(enabled ? { perSecond, concurrent } : null);
        return { status: 200, body: { enabled, perSecond, concurrent } };
      },
    },
  ];
}

function find({ state }: World<AcuityState>, userId = ''): Account {
  const account = Object.hasOwn(state.accounts, userId) ? state.accounts[userId] : undefined;
  if (!account) throw new TypeError(`There is no account ${userId}`);
  return account;
}

const read = <T>(schema: z.ZodType<T>, body: unknown): T => valid(schema.safeParse(body));

function valid<T>(result: z.ZodSafeParseResult<T>): T {
  if (!result.success) throw new TypeError(z.prettifyError(result.error));
  return result.data;
}
