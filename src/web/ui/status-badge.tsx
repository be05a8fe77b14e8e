import { Badge, type Tone } from './badge.tsx';

/** The label of each state of the contract for staff, with a colour that supports (never replaces) it. */
const STATES = {
  patient: {
    active: ['Active', 'good'],
    invited: ['Invited', 'info'],
    archived: ['Archived', 'neutral'],
  },
  member: {
    active: ['Active', 'good'],
    invited: ['Invited', 'info'],
    disabled: ['Disabled', 'neutral'],
  },
  subscription: {
    incomplete: ['Awaiting payment', 'warn'],
    incomplete_expired: ['Not paid in time', 'neutral'],
    trialing: ['Trial', 'info'],
    active: ['Active', 'good'],
    past_due: ['Payment overdue', 'danger'],
    canceled: ['Canceled', 'neutral'],
    unpaid: ['Unpaid', 'danger'],
    paused: ['Paused', 'warn'],
  },
  appointment: {
    scheduled: ['Booked', 'accent'],
    checked_in: ['Checked in', 'info'],
    completed: ['Took place', 'good'],
    canceled: ['Canceled', 'neutral'],
    no_show: ['Did not come', 'warn'],
  },
  integration: {
    connected: ['Connected', 'good'],
    degraded: ['Needs attention', 'warn'],
    disconnected: ['Not connected', 'neutral'],
  },
} satisfies Record<string, Record<string, readonly [label: string, tone: Tone]>>;

type Kind = keyof typeof STATES;

/** The states of a kind as select options. */
export function statusOptions(kind: Kind): { value: string; label: string }[] {
  return Object.entries(STATES[kind]).map(([value, [label]]) => ({ value, label }));
}

/** An unknown state (of a newer server) is shown as is, in the neutral colour. */
function stateOf(kind: Kind, status: string): readonly [label: string, tone: Tone] {
  const states: Record<string, readonly [string, Tone]> = STATES[kind] as never;
  return states[status] ?? [status.replaceAll('_', ' '), 'neutral'];
}

export const statusLabel = (kind: Kind, status: string): string => stateOf(kind, status)[0];

export function StatusBadge({ kind, status }: { kind: Kind; status: string }) {
  const [label, tone] = stateOf(kind, status);
  return (
    <Badge tone={tone} dot>
      {label}
    </Badge>
  );
}
