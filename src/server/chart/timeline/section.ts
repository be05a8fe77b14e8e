import type { AuditAction } from '#contract/audit-actions.ts';
import type { EventName } from '#contract/event-types.ts';
import type { TimelineKind } from '#contract/timeline.ts';

/** A change as recorded in the audit log. */
export type TimelineChange = {
  action: string;
  event: string | null;
  details: Record<string, unknown>;
  /** The payload of its event and of the object's previous event, while events are retained and on the same page. */
  shown?: Record<string, unknown> | undefined;
  before?: Record<string, unknown> | undefined;
};

/** A short title without the actor, which is shown separately. */
export type TimelineText = string | { title: string; note?: string | undefined };

/**
 * The timeline texts of one domain. A new domain adds a file here and registers it in `describe-change.ts`; until then its changes
 * appear with a generic text, as kind `other`.
 */
export type TimelineSection = {
  kind: TimelineKind;
  /** Texts by audit action, or by event when the action is less specific (`subscriptions.sync`). */
  texts: Partial<Record<AuditAction | EventName, TimelineText | ((change: TimelineChange) => TimelineText)>>;
};

/** `currentPeriodEnd`, `current_period_end` -> `current period end` */
export const humanize = (name: string): string =>
  name
    .replaceAll('_', ' ')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();

/** Returns field names in readable form: "First name, addresses". Only names are known here, never values. */
export function fieldNames(names: unknown): string | undefined {
  const strings = Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
  if (strings.length === 0) return undefined;
  const text = strings.map(humanize).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
