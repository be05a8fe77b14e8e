'use client';
import { useState } from 'react';
import { Dialog } from '#web/ui/dialog.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { PasswordStep } from './password-step.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { useRefreshAccount } from './use-refresh-account.ts';

export function RecoveryCodesDialog({ onClose }: { onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useRefreshAccount();
  const [codes, setCodes] = useState<string[] | null>(null);
  return (
    <Dialog
      open
      isHeld={codes !== null}
      onOpenChange={(open) => !open && onClose()}
      title={codes ? 'Your recovery codes' : 'New recovery codes'}
      {...(!codes && { description: 'Ten new codes are made, and the ones before stop working.' })}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onDone={onClose} />
      ) : (
        <PasswordStep
          submitLabel="Make new codes"
          save={async (values) => {
            setCodes((await client.account.renewRecoveryCodes.mutate(values)).recovery_codes);
            await refresh();
          }}
        />
      )}
    </Dialog>
  );
}
