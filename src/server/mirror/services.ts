import type { Minute } from '#server/core/zone.ts';
import type { SchedulingError } from '#server/providers/scheduling-provider.ts';

/** Creates the state of the availability mirror that lives as long as the process. */
export function createMirrorServices() {
  /** Provider calls in progress, by tenant, type, calendar, day and priority. */
  const pendingCalls = new Map<string, Promise<void>>();
  /** Calls in progress that ignore one appointment, by tenant, type, appointment and day. */
  const callsWithoutAppointment = new Map<string, Promise<Minute[]>>();
  /** Background work that continues after the response. */
  const backgroundWork = new Set<Promise<void>>();
  /** When a tenant was last registered for renewal. */
  const registeredAt = new Map<string, number>();
  /**
   * By tenant, the last error of an availability call that does not concern one type or calendar; deleted after a
   * success.
   */
  const failures = new Map<string, { error: SchedulingError; at: number }>();
  return {
    pendingCalls,
    callsWithoutAppointment,
    backgroundWork,
    registeredAt,
    failures,
    /** Waits for the background work. */
    async close(): Promise<void> {
      while (pendingCalls.size + backgroundWork.size > 0)
        await Promise.allSettled([...pendingCalls.values(), ...backgroundWork]);
    },
  };
}
