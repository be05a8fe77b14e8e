'use client';
import { RadioGroup } from 'radix-ui';
import type { Ref } from 'react';
import { ROLES, type Role } from '#contract/roles.ts';
import { ChangeRoleInput, InviteMemberInput, type MemberView } from '#contract/team.ts';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { pluralize } from '#web/ui/count-label.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { useFieldWiring } from '#web/ui/field.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { Link } from '#web/ui/link.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPCClient } from '../../trpc-client.tsx';
import { ROLE_NAMES } from '../me.tsx';
import { handOverHint, MEMBER_CHANGES, type MemberChange } from './member-changes.ts';
import { ROLE_DESCRIPTIONS } from './role-descriptions.ts';

type RoleChoiceProps = { value: Role; onChange: (role: Role) => void; ref: Ref<HTMLDivElement> };

/** Radio list of the roles, with what each is for. */
function RoleChoice({ value, onChange, ref }: RoleChoiceProps) {
  return (
    <RadioGroup.Root
      ref={ref}
      {...useFieldWiring()}
      value={value}
      onValueChange={(role) => onChange(role as Role)}
      aria-label="Role"
      className="grid gap-2"
    >
      {ROLES.map((role) => (
        <ChoiceCard key={role} value={role} title={ROLE_NAMES[role]} hint={ROLE_DESCRIPTIONS[role]} />
      ))}
    </RadioGroup.Root>
  );
}

export function InviteDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Invite colleague"
      description="They get an email with a link, which works once, for 7 days. They choose their own password."
    >
      <InviteForm onClose={onClose} />
    </Dialog>
  );
}

function InviteForm({ onClose }: { onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useInvalidate('team');
  const form = useApiForm({
    schema: InviteMemberInput,
    defaultValues: { name: '', email: '', role: 'practitioner' },
    save: async (values) => {
      await client.team.invite.mutate(values);
      toast.success('Invitation sent');
      onClose();
      await refresh();
    },
  });
  return (
    <DialogForm form={form} submitLabel="Send invitation">
      <FormField name="name" label="Name">
        {(field) => <Input {...field} autoComplete="off" />}
      </FormField>
      <FormField name="email" label="Work email">
        {(field) => <Input {...field} type="email" autoComplete="off" />}
      </FormField>
      <FormField name="role" label="Role">
        {({ value, onChange, ref }) => <RoleChoice value={value} onChange={onChange} ref={ref} />}
      </FormField>
    </DialogForm>
  );
}

type ChangeRoleProps = { member: MemberView; onClose: () => void };

export function ChangeRoleDialog({ member, onClose }: ChangeRoleProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Change the role of ${member.name}`}
      description="With another role they are signed out at once, and sign in again."
    >
      <ChangeRoleForm member={member} onClose={onClose} />
    </Dialog>
  );
}

function ChangeRoleForm({ member, onClose }: ChangeRoleProps) {
  const client = useTRPCClient();
  const refresh = useInvalidate('team');
  const form = useApiForm({
    schema: ChangeRoleInput,
    defaultValues: { id: member.id, role: member.role },
    save: async (values) => {
      if (values.role === member.role) return onClose();
      await client.team.changeRole.mutate(values);
      toast.success('Role changed');
      onClose();
      await refresh();
    },
  });
  return (
    <DialogForm form={form} submitLabel="Change role">
      <FormField name="role" label="Role" hideLabel>
        {({ value, onChange, ref }) => <RoleChoice value={value} onChange={onChange} ref={ref} />}
      </FormField>
    </DialogForm>
  );
}

type MemberQuestionProps = { member: MemberView; change: MemberChange; onClose: () => void };

export function MemberChangeDialog({ member, change, onClose }: MemberQuestionProps) {
  const client = useTRPCClient();
  const refresh = useInvalidate('team');
  const { question, run, confirmLabel, done } = MEMBER_CHANGES[change];
  return (
    <ConfirmDialog
      title={question?.title(member.name)}
      description={
        <>
          {question?.description}
          {change === 'disable' && <Remaining member={member} />}
        </>
      }
      confirmLabel={confirmLabel}
      keepLabel="Not now"
      act={() => run(client, member)}
      done={done}
      refresh={refresh}
      onClose={onClose}
    />
  );
}

/** What a member leaves behind, with links to the lists. */
function Remaining({ member: { id, upcoming_visits = 0, open_tasks = 0 } }: { member: MemberView }) {
  const count = upcoming_visits + open_tasks;
  if (count === 0) return ' They have no upcoming appointments and no open tasks.';
  return (
    <>
      {' '}
      They have{' '}
      {upcoming_visits > 0 && (
        <ListLink href={`/appointments?with=${id}`} count={upcoming_visits} noun="upcoming appointment" />
      )}
      {upcoming_visits > 0 && open_tasks > 0 && ' and '}
      {open_tasks > 0 && <ListLink href={`/tasks?whose=all&assignee=${id}`} count={open_tasks} noun="open task" />},
      which {count === 1 ? 'stays' : 'stay'} with them. {handOverHint(upcoming_visits, open_tasks)}
    </>
  );
}

function ListLink({ href, count, noun }: { href: string; count: number; noun: string }) {
  return (
    <Link href={href} className="rounded-sm font-medium text-accent-ink underline underline-offset-2">
      {pluralize(count, noun)}
    </Link>
  );
}
