'use client';
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { overlayStyle } from './dialog.tsx';
import { IconButton } from './icon-button.tsx';

type SheetProps = { open: boolean; onOpenChange: (open: boolean) => void; title: string; children: ReactNode };

/** A panel from the right edge: a longer form, or the navigation on a phone. */
export function Sheet({ open, onOpenChange, title, children }: SheetProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={overlayStyle} />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 right-0 z-50 flex w-full max-w-md animate-slide-left flex-col border-l border-line bg-raised shadow-modal outline-none max-md:max-w-[88vw]"
        >
          <div className="flex items-center justify-between gap-4 px-5 pt-4 pb-3">
            <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton icon={X} label="Close" size="sm" className="-mr-2 max-md:size-10" />
            </Radix.Close>
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
