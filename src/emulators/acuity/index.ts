import { createHmac } from 'node:crypto';
import { createEmulator, type Emulator } from '../core/emulator.ts';
import type { Problem, Reply } from '../core/reply.ts';
import { accountControls } from './controls.ts';
import { putAccount } from './put-account.ts';
import { createRateLimiter, PUBLISHED_LIMIT } from './rate-limit.ts';
import { ROUTES } from './routes.ts';
import { type AcuityState, emptyState } from './state.ts';

export interface AcuityEmulatorOptions {
  /** Where the state is kept between runs; in memory when absent. */
  dataDir?: string;
  /** An account that exists from the start, filled with the fictional clinic. `userId` is digits. */
  account?: { userId: string; apiKey: string };
  /** 10 requests a second and 20 at once for each address, as published; on unless false. */
  rateLimit?: boolean;
  /** Waits between the attempts of a webhook, in milliseconds. */
  retryWaitsMs?: number[];
  log?(line: string): void;
}

/** Acuity Scheduling's API v1 under `/api/v1`, for any number of accounts. */
export function createAcuityEmulator(options: AcuityEmulatorOptions = {}): Emulator<AcuityState> {
  const { dataDir, account, retryWaitsMs, log } = options;
  let limit = options.rateLimit === false ? null : PUBLISHED_LIMIT;
  const limited = createRateLimiter(() => limit);

  const emulator = createEmulator<AcuityState>({
    name: 'acuity',
    ...(dataDir && { dataDir }),
    ...(log && { log }),
    initialState() {
      const state = emptyState();
      if (account) putAccount(state, account.userId, { apiKey: account.apiKey });
      return state;
    },
    routes: ROUTES,
    errorShape,
    around: ({ ip }, _world, next) => limited(ip, next),
    controlRoutes: accountControls((chosen) => {
      limit = chosen;
    }),
    webhooks: {
      ...(retryWaitsMs && { retryWaitsMs }),
      // Only server errors and broken connections are tried again.
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
      // Kept state may be older than the configured credentials.
      const kept = account && state.accounts[account.userId];
      if (kept) kept.apiKey = account.apiKey;
      else if (account) putAccount(state, account.userId, { apiKey: account.apiKey });
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
