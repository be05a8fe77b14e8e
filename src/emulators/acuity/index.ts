import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEmulator, type Emulator } from '../core/emulator.ts';
import type { Problem, Reply } from '../core/route.ts';
import type { AccountInput } from './account-input.ts';
import { CONSOLE_ROUTES } from './console-routes.ts';
import { accountControls, breakControls, trafficControls } from './controls.ts';
import { changeAccount, completeAccount, putAccount } from './put-account.ts';
import { createRateLimiter, PUBLISHED_LIMIT } from './rate-limit.ts';
import { ROUTES } from './routes.ts';
import { type AcuityState, emptyState } from './state.ts';

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
    around: ({ ip, path }, _world, next) =>
      path.startsWith('/api/') ? limited(ip, () => (latencyMs ? sleep(latencyMs).then(next) : next())) : next(),
    controls: breakControls,
    controlRoutes: [
      ...accountControls,
      ...trafficControls({
        setRateLimit(chosen) {
          limit = chosen;
        },
        setLatencyMs(chosen) {
          latencyMs = chosen;
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
