'use client';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { DialogBody, DialogFooter } from './dialog.tsx';
import { useUnsaved } from './unsaved.tsx';

/** Inside a dialog that is held: what is seen this one time, and lives in the dialog's state and nowhere else. */
export function ShownOnce({ onDone, children }: { onDone: () => void; children: ReactNode }) {
  useUnsaved(true);
  return (
    <>
      <DialogBody className="grid gap-4">{children}</DialogBody>
      <DialogFooter>
        <Button variant="primary" onClick={onDone}>
          I have saved it
        </Button>
      </DialogFooter>
    </>
  );
}
