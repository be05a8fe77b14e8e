'use client';
import dynamic from 'next/dynamic';
import { Dialog } from 'radix-ui';
import type { PaletteProps } from './command-palette-panel.tsx';
import { overlayStyle } from './dialog.tsx';
import { Skeleton } from './skeleton.tsx';

// The list and its matching load at the first opening, so that no page pays for them.
const Panel = dynamic(() => import('./command-palette-panel.tsx').then((module) => module.CommandPalettePanel), {
  ssr: false,
  loading: () => <Skeleton className="m-4 h-5 w-48" />,
});

export type { PaletteEntry, PalettePatient } from './command-palette-panel.tsx';

type CommandPaletteProps = PaletteProps & { open: boolean };

/** Jump to a page or a patient: the frame of the palette. */
export function CommandPalette({ open, ...panel }: CommandPaletteProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && panel.onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={overlayStyle} />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-x-3 top-3 z-50 mx-auto max-w-xl animate-rise overflow-hidden rounded-xl border border-line bg-raised shadow-modal outline-none md:top-[14vh]"
        >
          <Dialog.Title className="sr-only">Go to a page or a patient</Dialog.Title>
          <Panel {...panel} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
