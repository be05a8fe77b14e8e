'use client';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { DialogBody, DialogFooter } from './dialog.tsx';
import { useUnsaved } from './unsaved.tsx';

/** Content that is shown once, inside a held dialog; it exists only in the dialog's state. */
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
