'use client';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { DialogClose } from './dialog.tsx';
import { overlayStyle, useReturnFocus } from './modal.ts';

type SheetProps = { open: boolean; onOpenChange: (open: boolean) => void; title: string; children: ReactNode };

/** A panel at the right edge: for longer forms, and for the navigation on phones. */
export function Sheet({ open, onOpenChange, title, children }: SheetProps) {
  const returnFocus = useReturnFocus(open);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={overlayStyle} />
        <Radix.Content
          onCloseAutoFocus={returnFocus}
          aria-describedby={undefined}
          className="fixed inset-y-0 right-0 z-50 flex w-full max-w-md animate-slide-left flex-col border-l border-line bg-raised shadow-modal outline-none max-md:max-w-[88vw]"
        >
          <Radix.Title className="px-5 pt-4 pr-14 pb-3 text-base font-semibold wrap-anywhere">{title}</Radix.Title>
          {children}
          <DialogClose />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
