import type { Minute } from '#server/core/zone.ts';
import type { SchedulingError } from '#server/providers/scheduling-provider.ts';

/** What the mirror of free times keeps as long as the services live. */
export function createMirrorServices() {
  /** Questions to the provider under way, by tenant, type, calendar, day and turn. */
  const questions = new Map<string, Promise<void>>();
  /** Of them, those as if one appointment were not there, by tenant, type, appointment and day. */
  const without = new Map<string, Promise<Minute[]>>();
  /** What goes on behind an answer that was given. */
  const unawaited = new Set<Promise<void>>();
  /** When a tenant was last put among those whose times are renewed. */
  const noted = new Map<string, number>();
  /** By tenant, the last error of a call for free times that is not of one type or calendar; none once a call succeeded. */
  const failures = new Map<string, { error: SchedulingError; at: number }>();
  return {
    questions,
    without,
    unawaited,
    noted,
    failures,
    /** Waits for what is asked behind an answer that was given long ago. */
    async close(): Promise<void> {
      while (questions.size + unawaited.size > 0) await Promise.allSettled([...questions.values(), ...unawaited]);
    },
  };
}
