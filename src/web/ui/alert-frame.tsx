'use client';
import { AlertDialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { overlayStyle, useReturnFocus } from './modal.ts';

type AlertFrameProps = {
  /** A question that names the object: "Cancel the appointment on Monday?" */
  title: ReactNode;
  description: ReactNode;
  onClose: () => void;
  children?: ReactNode;
  /** The buttons in the footer; the confirming button comes last. */
  actions: ReactNode;
};

/** An alert dialog that requires a decision: a click outside does not close it. It is open while it is mounted. */
export function AlertFrame({ title, description, onClose, children, actions }: AlertFrameProps) {
  const returnFocus = useReturnFocus(true);
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlayStyle} />
        <Radix.Content
          onCloseAutoFocus={returnFocus}
          className="fixed inset-x-4 top-1/2 z-50 mx-auto flex max-h-[92dvh] max-w-md -translate-y-1/2 flex-col overflow-y-auto rounded-xl border border-line bg-raised p-5 shadow-modal outline-none"
        >
          <Radix.Title className="text-base font-semibold wrap-anywhere">{title}</Radix.Title>
          <Radix.Description className="mt-1.5 text-muted wrap-anywhere">{description}</Radix.Description>
          {children}
          <div className="mt-5 flex flex-wrap justify-end gap-2 max-md:*:flex-1">{actions}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Wraps the button that changes nothing and closes the dialog. */
export const AlertCancel = Radix.Cancel;
