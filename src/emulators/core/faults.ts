import { type EmulatorRequest, matchPath } from './route.ts';

export const FAULT_KINDS = [
  '429',
  '500',
  '503',
  'timeout_before',
  'timeout_after',
  'reset_before',
  'reset_after',
  'slow_drip',
  'truncated',
  'wrong_schema',
] as const;

/** `_before`: the request has no effect. `_after`: the effect happens, the response is lost. */
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  id: string;
  /**
   * Empty matches every request. `path` is a route pattern such as `/v1/subscriptions/:id` or
   * `/v1/*`. Each parameter in `query` must be present with that value; `*` accepts any value.
   */
  match: { method?: string; path?: string; query?: Record<string, string> };
  kind: FaultKind;
  /** Number of requests that it still applies to; the fault is removed at 0. */
  times: number;
  /**
   * Duration in milliseconds for which `timeout_*` holds the socket and over which `slow_drip` spreads the response.
   */
  holdMs: number;
}

const DEFAULT_HOLD_MS = 30_000;
const MAX_HOLD_MS = 120_000;

export class FaultBook {
  #faults: Fault[] = [];
  #count = 0;

  /**
   * Validates and stores a fault as posted to `/_emulator/faults`.
   * @throws TypeError naming the invalid field
   */
  add(input: unknown): Fault {
    const { match = {}, kind, times = 1, holdMs = DEFAULT_HOLD_MS, ...rest } = asRecord(input, 'a fault');
    const { method, path, query, ...otherMatch } = asRecord(match, 'match');
    const unknown = [...Object.keys(rest), ...Object.keys(otherMatch).map((key) => `match.${key}`)];
    if (unknown.length > 0) throw new TypeError(`Unknown: ${unknown.join(', ')}`);
    if (!FAULT_KINDS.includes(kind as FaultKind)) throw new TypeError(`kind must be one of ${FAULT_KINDS.join(', ')}`);
    if (!Number.isInteger(times) || (times as number) < 1) throw new TypeError('times must be a whole number from 1');
    if (typeof holdMs !== 'number' || !(holdMs > 0)) throw new TypeError('holdMs must be positive milliseconds');
    if (method !== undefined && typeof method !== 'string') throw new TypeError('match.method must be text');
    if (path !== undefined && typeof path !== 'string') throw new TypeError('match.path must be text');
    if (
      query !== undefined &&
      !Object.values(asRecord(query, 'match.query')).every((value) => typeof value === 'string')
    )
      throw new TypeError('match.query must name parameters, each with a text');
    const fault: Fault = {
      id: `fault_${++this.#count}`,
      match: {
        ...(method && { method: method.toUpperCase() }),
        ...(path && { path }),
        ...(query !== undefined && { query: query as Record<string, string> }),
      },
      kind: kind as FaultKind,
      times: times as number,
      holdMs: Math.min(holdMs, MAX_HOLD_MS),
    };
    this.#faults.push(fault);
    return fault;
  }

  /** Returns the oldest fault that matches the request and decrements its count; undefined when none matches. */
  consume({ method, path, query }: Pick<EmulatorRequest, 'method' | 'path' | 'query'>): Fault | undefined {
    const matchesQuery = ([name, value]: [string, string]) =>
      Object.hasOwn(query, name) && (value === '*' || query[name] === value);
    const fault = this.#faults.find(
      ({ match }) =>
        (match.method === undefined || match.method === method) &&
        (match.path === undefined || matchPath(match.path, path) !== null) &&
        Object.entries(match.query ?? {}).every(matchesQuery),
    );
    if (fault && --fault.times === 0) this.#faults = this.#faults.filter((other) => other !== fault);
    return fault;
  }

  list(): Fault[] {
    return this.#faults;
  }

  clear(): void {
    this.#faults = [];
  }
}

function asRecord(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${what} must be an object`);
  }
  return value as Record<string, unknown>;
}
