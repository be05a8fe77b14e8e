'use client';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { encode } from 'uqr';
import { ConfirmTwoStepInput, PasswordInput, type TwoStepKeyView } from '#contract/team.ts';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { CopyField } from '#web/ui/copy-field.tsx';
import { Dialog, DialogBody, DialogFooter } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useUnsaved } from '#web/ui/unsaved.tsx';
import { useInvalidate, useTRPCClient } from '../../trpc-client.tsx';

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

/** Shows the recovery codes once; they exist only in the dialog's state. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  useUnsaved(true);
  return (
    <>
      <DialogBody className="grid gap-4">
        <p className="flex items-start gap-2 rounded-lg bg-warn-soft p-3 text-[13px] text-warn-ink">
          <KeyRound aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          Keep these codes where your phone is not: on paper, or in a password manager. Each signs you in once without
          the app. They are shown only now.
        </p>
        <ul
          aria-label="Recovery codes"
          className="grid grid-cols-2 gap-x-4 gap-y-1.5 rounded-md border border-line p-3"
        >
          {codes.map((code) => (
            <li key={code} className="font-mono text-[13px] whitespace-nowrap">
              {code}
            </li>
          ))}
        </ul>
      </DialogBody>
      <DialogFooter>
        <CopyButton value={codes.join('\n')} label="Copy all" />
        <Button variant="primary" onClick={onDone}>
          I have saved them
        </Button>
      </DialogFooter>
    </>
  );
}

type PasswordStepProps = {
  submitLabel: string;
  save: (values: PasswordInput) => Promise<unknown>;
};

/** Confirms the user's password before a change of their sign-in settings. */
export function PasswordStep({ submitLabel, save }: PasswordStepProps) {
  const form = useApiForm({ schema: PasswordInput, defaultValues: { password: '' }, save });
  return (
    <DialogForm form={form} submitLabel={submitLabel}>
      <FormField name="password" label="Your password">
        {(field) => <Input {...field} type="password" autoComplete="current-password" autoFocus />}
      </FormField>
    </DialogForm>
  );
}

export function RecoveryCodesDialog({ onClose }: { onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useInvalidate('account');
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

export function TurnOffDialog({ onClose }: { onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useInvalidate('account');
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
