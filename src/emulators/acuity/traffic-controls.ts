import { z } from 'zod';
import type { Route } from '../core/route.ts';
import { PUBLISHED_LIMIT, type RateLimit } from './rate-limit.ts';
import { readControl } from './read-control.ts';
import type { AcuityState } from './state.ts';

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
export const trafficControls = ({ setRateLimit, setLatencyMs }: Traffic): Route<AcuityState>[] => [
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
