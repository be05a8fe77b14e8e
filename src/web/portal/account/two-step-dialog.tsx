'use client';
import { useState } from 'react';
import { encode } from 'uqr';
import { ConfirmTwoStepInput, type TwoStepKeyView } from '#contract/team.ts';
import { CopyField } from '#web/ui/copy-field.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { PasswordStep } from './password-step.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

/** Quiet zone that scanners require around the code, in modules (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4;

/** Always dark on white, also in the dark theme: many scanners cannot read inverted codes. */
function QrCode({ value, label }: { value: string; label: string }) {
  const { data, size } = encode(value, { border: QUIET_ZONE });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-lg border border-line"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

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
