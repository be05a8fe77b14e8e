import type { BenchSetup } from './bench-setup.ts';

/** The figures of one measurement by name, e.g. `{ 'per second': 120, 'p99 ms': 31 }`. */
export type Figures = Record<string, number>;

/** One contestant: ours, a peer's, or the limit. */
export type Side = { name: string; measure(): Promise<Figures> };

/** A condition on the medians. */
export type Goal = { words: string; of(medians: Record<string, Figures>): number; holds(value: number): boolean };

/** Contestants at one kind of work, measured in turn so that load on the machine affects all. */
export type Job = {
  id: string;
  title: string;
  /** Maximum number of repeats, where more would not add information. */
  mostRepeats?: number;
  /** Takes long, so it runs only when `--only` names it. */
  onlyWhenNamed?: boolean;
  prepare(setup: BenchSetup): Promise<{ sides: Side[]; goals: Goal[]; stop(): Promise<void> }>;
};
