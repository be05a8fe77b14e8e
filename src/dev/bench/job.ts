import type { World } from './world.ts';

/** What one measuring gives: figures by name, e.g. `{ 'per second': 120, 'p99 ms': 31 }`. */
export type Figures = Record<string, number>;

/** One of the contestants: ours, a peer's, the limit. */
export type Side = { name: string; measure(): Promise<Figures> };

/** What the medians must come to. */
export type Goal = { words: string; of(medians: Record<string, Figures>): number; holds(value: number): boolean };

/** Contestants at one kind of work, measured in turn so that a busy minute of the machine hits all. */
export type Job = {
  id: string;
  title: string;
  /** Where fewer repeats say as much. */
  mostRepeats?: number;
  prepare(world: World): Promise<{ sides: Side[]; goals: Goal[]; stop(): Promise<void> }>;
};
