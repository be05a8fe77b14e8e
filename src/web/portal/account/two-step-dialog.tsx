'use client';
import { useState } from 'react';
import { ConfirmTwoStepInput, type TwoStepKeyView } from '#contract/team.ts';
import { CopyField } from '#web/ui/copy-field.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { PasswordStep } from './password-step.tsx';
import { QrCode } from './qr-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

type TwoStepDialogProps = { onClose: () => void; onChanged: () => unknown };

/** Steps: password, then the authenticator key and a code from it, then the recovery codes. */
export function TwoStepDialog({ onClose, onChanged }: TwoStepDialogProps) {
  const client = useTRPCClient();
  const [key, setKey] = useState<TwoStepKeyView | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const close = () => {
    onClose();
    if (codes) onChanged();
  };
  return (
    <Dialog
      open
      isHeld={codes !== null}
      onOpenChange={(open) => !open && close()}
      title={codes ? 'Your recovery codes' : 'Set up two-step sign-in'}
      {...(!codes && {
        description: key
          ? 'Scan the picture with an authenticator app, then type the code that it shows.'
          : 'You need an authenticator app on your phone. First, your password.',
      })}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onDone={close} />
      ) : key ? (
        <KeyStep authenticatorKey={key} onCodes={setCodes} />
      ) : (
        <PasswordStep
          submitLabel="Continue"
          save={async (values) => setKey(await client.account.startTwoStep.mutate(values))}
        />
      )}
    </Dialog>
  );
}

type KeyStepProps = { authenticatorKey: TwoStepKeyView; onCodes: (codes: string[]) => void };

function KeyStep({ authenticatorKey, onCodes }: KeyStepProps) {
  const client = useTRPCClient();
  const form = useApiForm({
    schema: ConfirmTwoStepInput,
    defaultValues: { code: '' },
    save: async (values) => onCodes((await client.account.confirmTwoStep.mutate(values)).recovery_codes),
  });
  return (
    <DialogForm form={form} submitLabel="Turn on">
      <div className="grid justify-items-center">
        <QrCode value={authenticatorKey.uri} label="QR code for your authenticator app" />
      </div>
      <CopyField label="Or type this key into the app" value={authenticatorKey.secret} />
      <FormField name="code" label="Code in the app" hint="Six digits, a new code every 30 seconds.">
        {(field) => <Input {...field} inputMode="numeric" autoComplete="one-time-code" autoFocus />}
      </FormField>
    </DialogForm>
  );
}
