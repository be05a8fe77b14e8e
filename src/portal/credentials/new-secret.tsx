'use client';
import type { NewSecretView } from '#contract/settings.ts';
import { Button } from '#portal/ui/button.tsx';
import { CopyField, SecretField } from '#portal/ui/copy-field.tsx';
import { DialogBody, DialogFooter } from '#portal/ui/dialog.tsx';
import { useUnsaved } from '#portal/ui/unsaved.tsx';

/** The only time a secret is seen: it lives in this dialog's state and nowhere else. */
export function NewSecret({ answer, onDone }: { answer: NewSecretView; onDone: () => void }) {
  useUnsaved(true);
  return (
    <>
      <DialogBody className="grid gap-4">
        <CopyField label="Client id" value={answer.application.client_id} />
        <SecretField label="Client secret" value={answer.client_secret} />
      </DialogBody>
      <DialogFooter>
        <Button variant="primary" onClick={onDone}>
          I have saved it
        </Button>
      </DialogFooter>
    </>
  );
}
