import type { z } from 'zod';
import type { Config } from '../core/config.ts';
import type { ProviderContext } from '../core/context.ts';
import { DeadlineExceeded, invalidResponse, type Retry, SAFE, toStripeError } from './stripe-errors.ts';

/** Two attempts and the wait between them. The client's own timeout only runs while no data arrives. */
const deadlineMs = (config: Config): number => 2 * config.providerTimeoutMs + 1000;

async function within<T>(ms: number, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded()), ms);
  });
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
}

type StripeCall = <Shape extends z.ZodType>(
  shape: Shape,
  call: () => Promise<unknown>,
  retry?: Retry,
) => Promise<z.output<Shape>>;

/**
 * Returns a function that runs one call and validates its response; every failure becomes an error of the contract.
 * With `withinMs`, all calls of one reader share that time from now on. A request that has lost its Idempotency-Key
 * makes no further call. In a context with a pace, each call waits for its turn.
 */
export function createStripeCall(
  { config, keyed, pace }: Pick<ProviderContext, 'config' | 'keyed' | 'pace'>,
  withinMs?: number,
): StripeCall {
  const until = withinMs === undefined ? null : performance.now() + withinMs;
  return async (shape, call, retry = SAFE) => {
    await pace?.();
    await keyed?.assertHeld();
    let response: unknown;
    try {
      response = await within(until === null ? deadlineMs(config) : Math.max(0, until - performance.now()), call());
    } catch (error) {
      throw toStripeError(error, retry);
    }
    const parsed = shape.safeParse(response);
    if (!parsed.success) throw invalidResponse(retry, parsed.error);
    return parsed.data;
  };
}
