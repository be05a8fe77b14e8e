import { z } from 'zod';
import { storable } from './conventions.ts';
import { MAX_CANCEL_REASON_LENGTH, MAX_CANCEL_REASONS } from './limits.ts';

/** Drops empty lines and repetitions, which differ at most in case. */
function withoutRepetitions(lines: string[]): string[] {
  const reasons = new Map<string, string>();
  for (const line of lines) {
    const reason = line.replace(/\s+/g, ' ').trim();
    const key = reason.toLowerCase();
    if (reason !== '' && !reasons.has(key)) reasons.set(key, reason);
  }
  return [...reasons.values()];
}

/** Returns why the reasons are rejected, or null. */
function reasonsError(reasons: string[]): string | null {
  if (reasons.length > MAX_CANCEL_REASONS)
    return `Enter at most ${MAX_CANCEL_REASONS} reasons; these are ${reasons.length}.`;
  const long = reasons.find((reason) => reason.length > MAX_CANCEL_REASON_LENGTH);
  return long === undefined
    ? null
    : `Use at most ${MAX_CANCEL_REASON_LENGTH} characters for a reason; “${long.slice(0, 40)}…” has ${long.length}.`;
}

/** The reasons for a cancellation that a clinic offers its staff, in their order. */
export const SetCancelReasonsInput = z.strictObject({
  reasons: z
    .array(storable(10_000))
    .max(1000)
    .transform(withoutRepetitions)
    .superRefine((reasons, { addIssue }) => {
      const message = reasonsError(reasons);
      if (message) addIssue({ code: 'custom', message });
    }),
});
export type SetCancelReasonsInput = z.infer<typeof SetCancelReasonsInput>;
export type CancelReasonsView = SetCancelReasonsInput;
