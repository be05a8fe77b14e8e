'use client';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AlertCancel, AlertFrame } from './alert-frame.tsx';
import { firstErrorMessage } from './api-errors.ts';
import { Button, type ButtonProps } from './button.tsx';
import { FormError } from './form-error.tsx';
import { OutcomeStatus, useOutcomeTracker } from './outcome-tracker.tsx';
import { toast } from './toast.ts';

type ConfirmDialogProps = {
  /** A question that names the object: "Cancel the appointment on Monday?" */
  title: ReactNode;
  /** What will happen, and whether it can be undone. */
  description: ReactNode;
  confirmLabel: string;
  /** The variant of the confirm button; default `danger`. */
  confirmVariant?: ButtonProps['variant'];
  keepLabel?: string;
  /** Returns false when something that the dialog asks for is missing, and has shown that; then nothing is done. */
  isComplete?: () => boolean;
  /** Rejects with an API error, which is shown in the dialog. */
  act: () => Promise<unknown>;
  /** The toast after success: "Appointment canceled". */
  done: string;
  /** Reverts the action while the toast is shown. */
  undo?: () => void;
  /**
   * Refreshes the page's data. The dialog waits for it, or the focus would return to an element that is about to be
   * removed.
   */
  refresh: () => Promise<unknown>;
  onClose: () => void;
  children?: ReactNode;
};

/**
 * Asks for confirmation before an action that is hard to undo. It is open while it is mounted; an error keeps it open.
 */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, description, confirmLabel, confirmVariant = 'danger', keepLabel = 'Keep it', children } = props;
  const { isComplete, act, done, undo, refresh, onClose } = props;
  const { checking, follow } = useOutcomeTracker();
  const confirmed = useMutation({
    mutationFn: async () => {
      await follow(act);
      await refresh();
    },
    onSuccess: () => {
      toast.success(done, undo && { action: { label: 'Undo', run: undo } });
      onClose();
    },
  });
  return (
    <AlertFrame
      title={title}
      description={description}
      onClose={onClose}
      actions={
        <>
          <AlertCancel asChild>
            <Button>{keepLabel}</Button>
          </AlertCancel>
          <Button
            variant={confirmVariant}
            pending={confirmed.isPending}
            onClick={() => isComplete?.() !== false && confirmed.mutate()}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children && <div className="mt-4">{children}</div>}
      <div className="mt-3 has-[p:empty]:hidden">
        <OutcomeStatus message={checking} />
      </div>
      {confirmed.error && (
        <div className="mt-3">
          <FormError>{firstErrorMessage(confirmed.error)}</FormError>
        </div>
      )}
    </AlertFrame>
  );
}
