import { Badge, type Tone } from './badge.tsx';

/** The words staff read for each state of the contract, with the colour that supports (never replaces) them. */
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

/** The states of a kind as choices of a Select. */
export function statusOptions(kind: Kind): { value: string; label: string }[] {
  return Object.entries(STATES[kind]).map(([value, [label]]) => ({ value, label }));
}

/** A state the table does not know (a newer server's) is shown as it came, without colour. */
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
