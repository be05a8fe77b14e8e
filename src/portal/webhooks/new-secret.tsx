'use client';
import { Button } from '#portal/ui/button.tsx';
import { SecretField } from '#portal/ui/copy-field.tsx';
import { DialogBody, DialogFooter } from '#portal/ui/dialog.tsx';
import { useUnsaved } from '#portal/ui/unsaved.tsx';

type NewSecretProps = { secret: string; next: string; onDone: () => void };

/** The only time that a signing secret is seen: it lives in this dialog's state and nowhere else. */
export function NewSecret({ secret, next, onDone }: NewSecretProps) {
  useUnsaved(true);
  return (
    <>
      <DialogBody className="grid gap-4">
        <SecretField label="Signing secret" value={secret} />
        <p className="text-muted">{next}</p>
      </DialogBody>
      <DialogFooter>
        <Button variant="primary" onClick={onDone}>
          I have saved it
        </Button>
      </DialogFooter>
    </>
  );
}
