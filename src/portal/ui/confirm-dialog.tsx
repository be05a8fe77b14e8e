'use client';
import { useMutation } from '@tanstack/react-query';
import { AlertDialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { faultSentence } from './api-faults.ts';
import { Button } from './button.tsx';
import { overlayStyle } from './dialog.tsx';
import { FormError } from './form-error.tsx';
import { toast } from './toast.ts';
import { useReturnFocus } from './use-return-focus.ts';

type ConfirmDialogProps = {
  /** A question that names the thing: "Cancel the visit on Monday?" */
  title: ReactNode;
  /** What will happen, and whether it can be undone. */
  description: ReactNode;
  confirmLabel: string;
  keepLabel?: string;
  /** Rejects with an API error, which is then read here. */
  act: () => Promise<unknown>;
  /** Said when it is done: "Visit canceled". */
  done: string;
  /** Brings the page up to date. The dialog waits for it, or the focus would return to what is about to go. */
  refresh: () => Promise<unknown>;
  onClose: () => void;
  children?: ReactNode;
};

/** Asks before something that is hard to take back. Open as long as it is there; a failure keeps it open. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, description, confirmLabel, keepLabel = 'Keep it', act, done, refresh, onClose, children } = props;
  const returnFocus = useReturnFocus(true);
  const confirmed = useMutation({
    mutationFn: async () => {
      await act();
      await refresh();
    },
    onSuccess: () => {
      toast.success(done);
      onClose();
    },
  });
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlayStyle} />
        <Radix.Content
          onCloseAutoFocus={returnFocus}
          className="fixed inset-x-4 top-1/2 z-50 mx-auto max-w-md -translate-y-1/2 rounded-xl border border-line bg-raised p-5 shadow-modal outline-none"
        >
          <Radix.Title className="text-base font-semibold wrap-anywhere">{title}</Radix.Title>
          <Radix.Description className="mt-1.5 text-muted">{description}</Radix.Description>
          {children && <div className="mt-4">{children}</div>}
          {confirmed.error && (
            <div className="mt-3">
              <FormError>{faultSentence(confirmed.error)}</FormError>
            </div>
          )}
          <div className="mt-5 flex flex-wrap justify-end gap-2 max-md:*:flex-1">
            <Radix.Cancel asChild>
              <Button>{keepLabel}</Button>
            </Radix.Cancel>
            <Button variant="danger" pending={confirmed.isPending} onClick={() => confirmed.mutate()}>
              {confirmLabel}
            </Button>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
