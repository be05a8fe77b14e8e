import type { Minute } from '#server/core/zone.ts';
import type { SchedulingError } from '#server/providers/scheduling-provider.ts';

/** Creates the state of the availability mirror that lives as long as the process. */
export function createMirrorServices() {
  /** Provider calls in progress, by tenant, type, calendar, day and priority. */
  const questions = new Map<string, Promise<void>>();
  /** Calls in progress that ignore one appointment, by tenant, type, appointment and day. */
  const without = new Map<string, Promise<Minute[]>>();
  /** Background work that continues after the response. */
  const unawaited = new Set<Promise<void>>();
  /** When a tenant was last registered for renewal. */
  const noted = new Map<string, number>();
  /**
   * By tenant, the last error of an availability call that does not concern one type or calendar; deleted after a
   * success.
   */
  const failures = new Map<string, { error: SchedulingError; at: number }>();
  return {
    questions,
    without,
    unawaited,
    noted,
    failures,
    /** Waits for the background work. */
    async close(): Promise<void> {
      while (questions.size + unawaited.size > 0) await Promise.allSettled([...questions.values(), ...unawaited]);
    },
  };
}
