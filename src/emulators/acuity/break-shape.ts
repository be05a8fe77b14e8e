import type { Call } from './call.ts';
import type { Account } from './state.ts';

/** What a repair is told: what was noted when it was broken, which object is meant, and e-mails that nobody's calendar has. */
export interface Repair {
  kept: unknown;
  object: number | null;
  emails: string[];
  newId(): number;
  call: Pick<Call, 'account' | 'world'>;
}

export interface Break {
  label: string;
  /** Breaks it; what it returns is noted for the repair. */
  spoil(account: Account, newId: () => number): unknown;
  /** Puts it right, whoever broke it. Throws `TypeError` where it cannot. */
  mend(account: Account, repair: Repair): void;
}

export class NothingToRepair extends TypeError {
  constructor() {
    super('There is nothing to repair.');
  }
}
