import type { SchedulingIssue } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';

const PROVIDER = SCHEDULING_PROVIDER.name;

/** Labels of appointments that cannot be rescheduled here. */
export const ISSUE_LABELS: Record<SchedulingIssue, string> = {
  former_account: `In a former ${PROVIDER} account: cancel it and book another`,
  calendar_removed: `Its calendar is not in ${PROVIDER} any more: cancel it and book another`,
  not_connected: `${PROVIDER} is not connected: change the visit in ${PROVIDER} itself`,
};

/** Scheduling issues that a list can be filtered by. */
export const ISSUE_OPTIONS: { value: SchedulingIssue; label: string }[] = [
  { value: 'former_account', label: 'In a former account' },
  { value: 'calendar_removed', label: 'Calendar is gone' },
];
