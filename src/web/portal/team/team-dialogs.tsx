'use client';
import { InviteMemberInput, type MemberView } from '#contract/team.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { Select } from '#web/ui/select.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPCClient } from '../../trpc-client.tsx';
import { ROLE_OPTIONS } from '../me.tsx';
import { MEMBER_CHANGES, type MemberChange } from './member-changes.ts';

export function InviteDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Invite colleague"
      description="They get a mail with a link, which works once, for 7 days. They choose their own password."
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
      <FormField name="role" label="Role" hint="Administrators also change integrations, credentials and the team.">
        {({ value, onChange }) => <Select options={ROLE_OPTIONS} value={value} onValueChange={onChange} />}
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
      description={question?.description}
      confirmLabel={confirmLabel}
      keepLabel="Not now"
      act={() => run(client, member)}
      done={done}
      refresh={refresh}
      onClose={onClose}
    />
  );
}
