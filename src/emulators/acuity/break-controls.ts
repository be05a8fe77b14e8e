import { z } from 'zod';
import type { Control } from '../core/controls.ts';
import { applyBreak, repairBreak } from './breaks.ts';
import type { Call } from './call.ts';
import { readControl } from './read-control.ts';
import type { AcuityState, WebhookTraffic } from './state.ts';
import { sendLost } from './webhook-traffic.ts';

const Account = z.string().regex(/^\d+$/);
const BreakInput = z.strictObject({ account: Account, code: z.string() });
const RepairInput = z.strictObject({
  account: Account,
  code: z.string(),
  /** The id of the type, calendar or form to repair. */
  object: z.coerce.number().int().nullish(),
  /** Emails that users sign in to the product with. */
  emails: z.array(z.string()).optional(),
});
const TrafficInput = z.strictObject({
  account: Account,
  all: z.boolean().optional(),
  next: z.int().min(1).optional(),
  share: z.number().min(0).max(1).optional(),
  seed: z.int().default(1),
  delay_ms: z.int().min(0).max(600_000).default(0),
});

/**
 * Triggers, `POST /_emulator/trigger`:
 *
 * - `{name: 'break', account, code}` and `{name: 'repair', account, code, object?, emails?}`: a code of `breaks.ts`
 * - `{name: 'drop_webhooks', account, all? | next? | share? with seed?,
 *   delay_ms?}`; without `all`, `next` and `share` no webhook is dropped
 * - `{name: 'send_lost_webhooks', account}`: sends dropped webhooks in their original order and stops dropping
 */
export const breakControls: Record<string, Control<AcuityState>> = {
  break(input, world) {
    const { account, code } = readControl(BreakInput, input);
    applyBreak(callOf(account, world), code);
    return { broken: code };
  },
  repair(input, world) {
    const { account, code, object, emails = [] } = readControl(RepairInput, input);
    repairBreak(callOf(account, world), code, { object: object ?? null, emails });
    return { repaired: code };
  },
  drop_webhooks(input, world) {
    const { account, delay_ms: delayMs, ...asked } = readControl(TrafficInput, input);
    const { traffic } = callOf(account, world).account;
    Object.assign(traffic, { drop: dropOf(asked), delayMs });
    return traffic;
  },
  send_lost_webhooks(input, world) {
    const { account } = readControl(z.strictObject({ account: Account }), input);
    return { sent: sendLost(callOf(account, world)) };
  },
};

function dropOf({ all, next, share, seed }: Omit<z.infer<typeof TrafficInput>, 'account' | 'delay_ms'>) {
  if ([all, next, share].filter((one) => one !== undefined).length > 1)
    throw new TypeError('Give one of all, share and next');
  if (next !== undefined) return { next };
  if (share !== undefined) return { share, seed, drawn: 0 };
  return (all ? { all: true } : null) as WebhookTraffic['drop'];
}

function callOf(userId: string, world: Call['world']): Call {
  const account = Object.hasOwn(world.state.accounts, userId) ? world.state.accounts[userId] : undefined;
  if (!account) throw new TypeError(`There is no account ${userId}`);
  return { account, now: world.clock.now(), world };
}
