import type { Call } from './call.ts';
import type { Account } from './state.ts';

/** Input of a repair: the data that the break returned, the id of the object to repair, and emails of users. */
export interface Repair {
  saved: unknown;
  object: number | null;
  emails: string[];
  newId(): number;
  call: Pick<Call, 'account' | 'world'>;
}

export interface Break {
  label: string;
  /** Applies the break. The result is stored for the repair. */
  apply(account: Account, newId: () => number): unknown;
  /**
   * Repairs the fault, including one that no break caused.
   * @throws TypeError when it cannot be repaired automatically
   */
  repair(account: Account, repair: Repair): void;
}

export class NothingToRepair extends TypeError {
  constructor() {
    super('There is nothing to repair.');
  }
}
