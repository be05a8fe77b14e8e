'use client';
import { Dialog } from 'radix-ui';
import { CommandPalettePanel, type PaletteProps, paletteWords } from './command-palette-panel.tsx';
import { overlayStyle } from './overlay-style.ts';
import { useReturnFocus } from './use-return-focus.ts';

/**
 * Dialog for search, actions and navigation. It loads when the page is idle, so that it does not delay the first load.
 */
export function CommandPalette(panel: PaletteProps) {
  const returnFocus = useReturnFocus(true);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && panel.onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={overlayStyle} />
        <Dialog.Content
          onCloseAutoFocus={returnFocus}
          aria-describedby={undefined}
          className="fixed inset-x-3 top-3 z-50 mx-auto max-w-xl animate-rise overflow-hidden rounded-xl border border-line bg-raised shadow-modal outline-none md:top-[14vh]"
        >
          <Dialog.Title className="sr-only">{paletteWords(panel).title}</Dialog.Title>
          <CommandPalettePanel {...panel} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
