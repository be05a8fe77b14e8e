import type { World } from '../core/world.ts';
import type { Account, AcuityState } from './state.ts';

/** One authenticated request: whose account, and when. Every verb works on this, synchronously, from check to write. */
export interface Call {
  account: Account;
  now: number;
  world: World<AcuityState>;
}

export const newId = (call: Call): number => call.world.state.nextId++;
