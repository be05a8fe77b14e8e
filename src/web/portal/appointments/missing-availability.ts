import type { FreeSlots } from '#contract/availability.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';

const WHILE_SLOW_MS = 3_000;
const WHILE_FAILING_MS = 15_000;

/** Milliseconds until incomplete availability is loaded again; false when it is complete. */
export function reloadIntervalMs(times: FreeSlots | undefined): number | false {
  if (!times?.missing.length) return false;
  return times.trouble === null ? WHILE_SLOW_MS : WHILE_FAILING_MS;
}

/** Says why slots are missing; null when availability is complete. */
export function missingAvailabilityMessage(times: FreeSlots | undefined): string | null {
  if (!times?.missing.length) return null;
  return times.trouble === null
    ? `${SCHEDULING_PROVIDER.name} is still telling us more times: some days are not complete yet.`
    : `Some free times are missing. ${times.trouble}`;
}
