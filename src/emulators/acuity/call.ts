import type { World } from '../core/world.ts';
import type { Account, AcuityState } from './state.ts';

/**
 * One authenticated request: its account and time. Each operation runs
 * synchronously from validation to write, so that requests do not interleave.
 */
export interface Call {
  account: Account;
  now: number;
  world: World<AcuityState>;
}

export const newId = (call: Call): number => call.world.state.nextId++;
