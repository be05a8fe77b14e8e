import type { MemberView } from '#contract/team.ts';
import type { useTRPCClient } from '../../trpc-client.tsx';

type Client = ReturnType<typeof useTRPCClient>;
export type MemberChange = 'resend' | 'withdraw' | 'reset' | 'disable' | 'enable';
/** What the menu of a member offers: the changes below, and the dialog in which a role is chosen. */
export type MemberAction = MemberChange | 'change_role';

type Change = {
  /** Label in the menu, and of the button that confirms it. */
  confirmLabel: string;
  /** Confirmation before the change; absent where nothing can go wrong. */
  question?: { title: (name: string) => string; description: string };
  done: string;
  danger?: true;
  run: (client: Client, member: MemberView) => Promise<unknown>;
};

/** Changes to a team member, with their confirmations. */
export const MEMBER_CHANGES: Record<MemberChange, Change> = {
  resend: {
    confirmLabel: 'Send invitation again',
    done: 'Invitation sent',
    run: (client, { id }) => client.team.resend.mutate({ id }),
  },
  withdraw: {
    question: {
      title: (name) => `Withdraw the invitation of ${name}?`,
      description: 'The link in their email stops working at once.',
    },
    confirmLabel: 'Withdraw invitation',
    done: 'Invitation withdrawn',
    danger: true,
    run: (client, { id }) => client.team.withdraw.mutate({ id }),
  },
  reset: {
    question: {
      title: (name) => `Reset two-step sign-in of ${name}?`,
      description:
        'Do this only when you are sure, by phone or in person, that they are asking for it. Their password alone signs them in until they set it up again. They are signed out everywhere.',
    },
    confirmLabel: 'Reset two-step sign-in',
    done: 'Two-step sign-in is reset',
    danger: true,
    run: (client, { id }) => client.team.resetTwoStep.mutate({ id }),
  },
  disable: {
    question: {
      title: (name) => `Disable ${name}?`,
      description: 'They are signed out at once and cannot sign in. What they did stays under their name.',
    },
    confirmLabel: 'Disable',
    done: 'Disabled and signed out',
    danger: true,
    run: (client, { id }) => client.team.disable.mutate({ id }),
  },
  enable: {
    confirmLabel: 'Enable',
    done: 'Enabled: they can sign in again',
    run: (client, { id }) => client.team.enable.mutate({ id }),
  },
};

/** Actions that a member's state allows. */
export function actionsFor({ status, two_step }: MemberView): MemberAction[] {
  if (status === 'invited') return ['resend', 'change_role', 'withdraw'];
  if (status === 'disabled') return ['change_role', 'enable'];
  return ['change_role', ...(two_step ? (['reset'] as const) : []), 'disable'];
}

/** What to do before a colleague is disabled: "Move the appointments and assign the task to someone else first." */
export function handOverHint(appointments: number, tasks: number): string {
  const steps: string[] = [];
  if (appointments > 0) steps.push(`move the appointment${appointments === 1 ? '' : 's'}`);
  if (tasks > 0) steps.push(tasks === 1 ? 'assign the task to someone else' : 'assign the tasks to others');
  const text = `${steps.join(' and ')} first.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
