'use client';
import { KeyRound } from 'lucide-react';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { DialogBody, DialogFooter } from '#web/ui/dialog.tsx';
import { useUnsaved } from '#web/ui/unsaved.tsx';

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
