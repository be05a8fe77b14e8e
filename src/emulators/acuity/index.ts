import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Control } from '../core/controls.ts';
import { createEmulator, type Emulator } from '../core/emulator.ts';
import type { Problem, Reply, Route, World } from '../core/route.ts';
import { AccountInput } from './account-input.ts';
import { applyBreak, repairBreak } from './breaks.ts';
import type { Call } from './call.ts';
import { CONSOLE_ROUTES } from './console-routes.ts';
import { sendLost } from './notify.ts';
import { changeAccount, completeAccount, putAccount } from './put-account.ts';
import { createRateLimiter, PUBLISHED_LIMIT, type RateLimit } from './rate-limit.ts';
import { ROUTES } from './routes.ts';
import { type Account, type AcuityState, emptyState, type WebhookTraffic } from './state.ts';

/**
 * Validates a control's input.
 * @throws TypeError naming the invalid fields
 */
function readControl<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (!result.success) throw new TypeError(z.prettifyError(result.error));
  return result.data;
}

const AccountId = z.string().regex(/^\d+$/);
const BreakInput = z.strictObject({ account: AccountId, code: z.string() });
const RepairInput = z.strictObject({
  account: AccountId,
  code: z.string(),
  /** The id of the type, calendar or form to repair. */
  object: z.coerce.number().int().nullish(),
  /** Emails that users sign in to the product with. */
  emails: z.array(z.string()).optional(),
});
const TrafficInput = z.strictObject({
  account: AccountId,
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
const breakControls: Record<string, Control<AcuityState>> = {
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
    const { account, delay_ms: delayMs, ...drop } = readControl(TrafficInput, input);
    const { traffic } = callOf(account, world).account;
    Object.assign(traffic, { drop: dropOf(drop), delayMs });
    return traffic;
  },
  send_lost_webhooks(input, world) {
    const { account } = readControl(z.strictObject({ account: AccountId }), input);
    return { sent: sendLost(callOf(account, world)) };
  },
};

function dropOf({ all, next, share, seed }: Omit<z.infer<typeof TrafficInput>, 'account' | 'delay_ms'>) {
  if ([all, next, share].filter((value) => value !== undefined).length > 1)
    throw new TypeError('Give one of all, share and next');
  if (next !== undefined) return { next };
  if (share !== undefined) return { share, seed, drawn: 0 };
  return (all ? { all: true } : null) as WebhookTraffic['drop'];
}

const callOf = (userId: string, world: Call['world']): Call => ({
  account: accountOf(world, userId),
  now: world.clock.now(),
  world,
});

const RateLimitInput = z.strictObject({
  enabled: z.boolean().default(true),
  perSecond: z.int().min(1).default(PUBLISHED_LIMIT.perSecond),
  concurrent: z.int().min(1).default(PUBLISHED_LIMIT.concurrent),
});

const LatencyInput = z.strictObject({ ms: z.int().min(0).max(60_000) });

interface Traffic {
  /** Null disables the limit. */
  setRateLimit(limit: RateLimit | null): void;
  setLatencyMs(ms: number): void;
}

/**
 * Routes that control traffic:
 *
 * - `PUT /_emulator/rate-limit` `{enabled?, perSecond?, concurrent?}`
 * - `PUT /_emulator/latency` `{ms}`: delay before each request is handled
 */
const trafficControls = ({ setRateLimit, setLatencyMs }: Traffic): Route<AcuityState>[] => [
  {
    method: 'PUT',
    path: '/_emulator/rate-limit',
    handle({ body }) {
      const { enabled, ...limit } = readControl(RateLimitInput, body);
      setRateLimit(enabled ? limit : null);
      return { status: 200, body: { enabled, ...limit } };
    },
  },
  {
    method: 'PUT',
    path: '/_emulator/latency',
    handle({ body }) {
      const { ms } = readControl(LatencyInput, body);
      setLatencyMs(ms);
      return { status: 200, body: { ms } };
    },
  },
];

const PATH = '/_emulator/accounts/:userId';

const UserId = z.string().regex(/^\d+$/, 'the user id is a number');

/**
 * The account management that a person does in Acuity's own settings.
 *
 * - `PUT /_emulator/accounts/{userId}` `AccountInput` with `apiKey`: replaces the account
 * - `PATCH` the same path: replaces the given parts and keeps the appointments
 * - `GET`, `DELETE` the same path
 */
const accountControls: Route<AcuityState>[] = [
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
      const account = changeAccount(structuredClone(accountOf(world, params.userId)), readControl(AccountInput, body));
      world.state.accounts[account.userId] = account;
      return { status: 200, body: account };
    },
  },
  {
    method: 'GET',
    path: PATH,
    handle: ({ params }, world) => ({ status: 200, body: accountOf(world, params.userId) }),
  },
  {
    method: 'DELETE',
    path: PATH,
    handle({ params }, world) {
      delete world.state.accounts[accountOf(world, params.userId).userId];
      return { status: 204 };
    },
  },
];

function accountOf({ state }: World<AcuityState>, userId = ''): Account {
  const account = Object.hasOwn(state.accounts, userId) ? state.accounts[userId] : undefined;
  if (!account) throw new TypeError(`There is no account ${userId}`);
  return account;
}

export interface AcuityEmulatorOptions {
  /** Directory where the state is stored between runs; in memory when absent. */
  dataDir?: string;
  /** An account that exists from the start; the fictional clinic provides omitted keys. `userId` consists of digits. */
  account?: AccountInput & { userId: string; apiKey: string };
  /** Applies Acuity's published limits per address: 10 requests a second and 20 concurrent. Default: true. */
  rateLimit?: boolean;
  /** Waits between webhook attempts, in milliseconds. */
  retryWaitsMs?: number[];
  log?(line: string): void;
}

/**
 * Creates an emulator of Acuity Scheduling's API v1 under `/api/v1`, for
 * any number of accounts, with the owners' console at `/`.
 */
export function createAcuityEmulator(options: AcuityEmulatorOptions = {}): Emulator<AcuityState> {
  const { dataDir, account, retryWaitsMs, log } = options;
  let limit = options.rateLimit === false ? null : PUBLISHED_LIMIT;
  let latencyMs = 0;
  const limited = createRateLimiter(() => limit);
  if (account && !/^\d+$/.test(account.userId)) throw new TypeError('The user id of an account is a number');
  const putConfigured = (state: AcuityState) => {
    if (!account) return;
    const { userId, ...input } = account;
    putAccount(state, userId, input);
  };

  const emulator = createEmulator<AcuityState>({
    name: 'acuity',
    ...(dataDir && { dataDir }),
    ...(log && { log }),
    initialState() {
      const state = emptyState();
      putConfigured(state);
      return state;
    },
    routes: [...ROUTES, ...CONSOLE_ROUTES],
    errorShape,
    // The console is not rate-limited. The latency comes before the handler, which stays one synchronous step.
    middleware: ({ ip, path }, _world, next) =>
      path.startsWith('/api/') ? limited(ip, () => (latencyMs ? sleep(latencyMs).then(next) : next())) : next(),
    controls: breakControls,
    controlRoutes: [
      ...accountControls,
      ...trafficControls({
        setRateLimit(newLimit) {
          limit = newLimit;
        },
        setLatencyMs(ms) {
          latencyMs = ms;
        },
      }),
    ],
    webhooks: {
      ...(retryWaitsMs && { retryWaitsMs }),
      // Acuity retries only server errors and failed connections.
      retries: (status) => status >= 500,
      sign: ({ keyId, body }, { state }) => ({
        'x-acuity-signature': createHmac('sha256', state.accounts[keyId]?.apiKey ?? '')
          .update(body)
          .digest('base64'),
      }),
    },
  });

  return {
    async start(port, host) {
      const running = await emulator.start(port, host);
      const { state } = running.world;
      for (const each of Object.values(state.accounts)) completeAccount(each);
      // Stored state may hold an older API key and webhook URL than the configuration.
      const storedAccount = account && state.accounts[account.userId];
      if (storedAccount) changeAccount(storedAccount, { apiKey: account.apiKey, webhooks: account.webhooks });
      else putConfigured(state);
      return running;
    },
  };
}

const PROBLEMS: Record<Problem['code'], [error: string, message: string]> = {
  bad_body: ['bad_request', 'Expected a JSON object.'],
  unknown_path: ['not_found', 'Not Found.'],
  rate_limited: ['too_many_requests', 'Rate limit reached. Limit 10req/s and 20 concurrent connections.'],
  internal: ['internal_server_error', 'Internal Server Error'],
  unavailable: ['service_unavailable', 'Service Unavailable'],
};

function errorShape({ status, code }: Problem): Reply {
  const [error, message] = PROBLEMS[code];
  return { status, body: { status_code: status, message, error } };
}
