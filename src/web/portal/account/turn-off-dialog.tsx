'use client';
import { Dialog } from '#web/ui/dialog.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { PasswordStep } from './password-step.tsx';
import { useRefreshAccount } from './use-refresh-account.ts';

export function TurnOffDialog({ onClose }: { onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useRefreshAccount();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Turn two-step sign-in off?"
      description="Your password alone will sign you in. Your recovery codes stop working."
    >
      <PasswordStep
        submitLabel="Turn off"
        save={async (values) => {
          await client.account.turnOffTwoStep.mutate(values);
          toast.success('Two-step sign-in is off');
          onClose();
          await refresh();
        }}
      />
    </Dialog>
  );
}
