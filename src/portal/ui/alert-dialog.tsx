'use client';
import { AlertDialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { overlayStyle } from './dialog.tsx';
import { useReturnFocus } from './use-return-focus.ts';

type AlertDialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** A question that names the thing: "Cancel the visit on Monday?" */
  title: ReactNode;
  /** What will happen, and whether it can be undone. */
  description: ReactNode;
  confirmLabel: string;
  keepLabel?: string;
  danger?: boolean;
  pending?: boolean;
  error?: string | undefined;
  onConfirm: () => void;
  children?: ReactNode;
};

/** Asks before something that is hard to take back. Stays open until the caller closes it, so that a failure can be read here. */
export function AlertDialog(props: AlertDialogProps) {
  const {
    open,
    onOpenChange,
    title,
    description,
    confirmLabel,
    keepLabel = 'Keep it',
    danger,
    pending,
    error,
    onConfirm,
    children,
  } = props;
  const returnFocus = useReturnFocus(open);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={overlayStyle} />
        <Radix.Content
          onCloseAutoFocus={returnFocus}
          className="fixed inset-x-4 top-1/2 z-50 mx-auto max-w-md -translate-y-1/2 rounded-xl border border-line bg-raised p-5 shadow-modal outline-none"
        >
          <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
          <Radix.Description className="mt-1.5 text-muted">{description}</Radix.Description>
          {children && <div className="mt-4">{children}</div>}
          {error && (
            <p role="alert" className="mt-3 rounded-md bg-danger-soft px-3 py-2 text-danger-ink">
              {error}
            </p>
          )}
          <div className="mt-5 flex flex-wrap justify-end gap-2 max-md:*:flex-1">
            <Radix.Cancel asChild>
              <Button>{keepLabel}</Button>
            </Radix.Cancel>
            <Button variant={danger ? 'danger' : 'primary'} pending={pending ?? false} onClick={onConfirm}>
              {confirmLabel}
            </Button>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
