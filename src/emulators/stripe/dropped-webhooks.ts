import { randomAt } from '../core/webhooks.ts';
import type { StripeEvent } from './objects.ts';
import type { Dropping, StripeState } from './state.ts';

/** Returns true when the event type matches; a final `*` is a wildcard, as in `invoice.*`. */
export function matchesType(type: string, pattern: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}

/**
 * Returns true when this event's webhooks are dropped. Each event
 * draws once, so a seed drops the same ones of the same sequence.
 */
export function isDropped(state: StripeState, { id, type }: StripeEvent, account: string): boolean {
  const { dropping } = state;
  if (!dropping) return false;
  if (dropping.types && !dropping.types.some((pattern) => matchesType(type, pattern))) return false;
  if (!decide(dropping)) return false;
  dropping.dropped.push({ account, event: id, type });
  return true;
}

function decide(dropping: Dropping): boolean {
  if (dropping.share !== undefined) return randomAt(dropping.seed, dropping.drawn++) < dropping.share;
  if (dropping.next === undefined) return dropping.all === true;
  if (dropping.next === 0) return false;
  dropping.next--;
  return true;
}

const FIELDS = ['all', 'share', 'seed', 'next', 'types'];

/**
 * Validates the input of `drop_webhooks`; an empty input stops the dropping.
 * @throws TypeError naming the invalid field
 */
export function readDropping(input: Record<string, unknown>): Dropping | undefined {
  const unknown = Object.keys(input).filter((key) => !FIELDS.includes(key));
  if (unknown.length > 0) throw new TypeError(`Unknown: ${unknown.join(', ')}`);
  const { all, next, seed = 1, share, types } = input;
  if (Object.keys(input).length === 0) return undefined;
  if ([all, next, share].filter((option) => option !== undefined).length > 1)
    throw new TypeError('Give one of all, share and next');
  if (all !== undefined && typeof all !== 'boolean') throw new TypeError('all is true or false');
  if (share !== undefined && !(typeof share === 'number' && share >= 0 && share <= 1))
    throw new TypeError('share is a number from 0 to 1');
  if (next !== undefined && !(Number.isInteger(next) && (next as number) >= 1))
    throw new TypeError('next is a whole number from 1');
  if (!Number.isInteger(seed)) throw new TypeError('seed is a whole number');
  if (types !== undefined && !(Array.isArray(types) && types.every((type) => typeof type === 'string')))
    throw new TypeError('types is a list of event types');
  if (all === false) return undefined;
  return {
    // Types alone drop all events of these types.
    ...(share === undefined && next === undefined ? { all: true } : { share: share as number, next: next as number }),
    seed: seed as number,
    ...(types !== undefined && { types: types as string[] }),
    drawn: 0,
    dropped: [],
  };
}
