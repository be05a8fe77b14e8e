'use client';
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { cn } from './cn.ts';
import { LeaveQuestion } from './leave-question.tsx';
import { overlayStyle, useReturnFocus } from './modal.ts';
import { GuardContext, type Risk, useRisk, useUnsaved } from './unsaved.tsx';

type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  size?: 'sm' | 'md' | 'lg';
  /** Closes only by the dialog's own button and blocks navigation: the content is never shown again. */
  isHeld?: boolean;
  children: ReactNode;
};

const WIDTHS = { sm: 'md:max-w-sm', md: 'md:max-w-lg', lg: 'md:max-w-3xl' };

/**
 * A modal: centred on wide screens, at the bottom edge on phones. Escape, the close button and a click outside close
 * it, after a confirmation if it has unsaved changes, and not while a save is running (see `useUnsaved`).
 */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, size = 'md', isHeld = false, children } = props;
  const returnFocus = useReturnFocus(open);
  const risks = useRef(new Map<string, Risk>());
  const [isConfirming, setConfirming] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const guard = useCallback((id: string, risk: Risk | null) => {
    if (risk) risks.current.set(id, risk);
    else risks.current.delete(id);
    setSaving([...risks.current.values()].includes('saving'));
  }, []);
  useRisk(open && isHeld ? 'held' : null);
  const change = (next: boolean) => {
    if (next) onOpenChange(true);
    else if (isHeld || isSaving) return;
    else if (risks.current.size > 0) setConfirming(true);
    else onOpenChange(false);
  };
  return (
    <Radix.Root open={open} onOpenChange={change}>
      <Radix.Portal>
        <Radix.Overlay className={overlayStyle} />
        <Radix.Content
          onCloseAutoFocus={returnFocus}
          {...(description ? {} : { 'aria-describedby': undefined })}
          onEscapeKeyDown={ignoreEscapeInList}
          aria-busy={isSaving || undefined}
          className={cn(
            'fixed z-50 flex max-h-[min(92dvh,52rem)] flex-col bg-raised shadow-modal outline-none',
            'max-md:inset-x-0 max-md:bottom-0 max-md:animate-slide-up max-md:rounded-t-2xl',
            'md:inset-0 md:m-auto md:h-fit md:w-[calc(100%-3rem)] md:animate-rise md:rounded-xl md:border md:border-line',
            WIDTHS[size],
          )}
        >
          <div className="px-5 pt-4 pr-14 pb-3">
            <Radix.Title className="text-base font-semibold wrap-anywhere">{title}</Radix.Title>
            {description && <Radix.Description className="mt-0.5 text-muted">{description}</Radix.Description>}
          </div>
          <GuardContext.Provider value={guard}>{children}</GuardContext.Provider>
          {!isHeld && <DialogClose />}
          {isConfirming && (
            <LeaveQuestion
              onKeep={() => setConfirming(false)}
              onLeave={() => {
                setConfirming(false);
                onOpenChange(false);
              }}
            />
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Wraps the dialog's own cancel button. */
export const DialogCancel = Radix.Close;

/** Escape in a combobox closes its list, not the dialog around it. */
function ignoreEscapeInList(event: KeyboardEvent) {
  const { activeElement } = document;
  if (activeElement?.matches('[role=combobox][aria-expanded=true]')) event.preventDefault();
}

/** The scrolling part of a dialog or sheet. */
export function DialogBody({ className, children }: { className?: string; children: ReactNode }) {
  return <div className={cn('min-h-0 flex-1 overflow-y-auto px-5 py-2', className)}>{children}</div>;
}

/** The row of actions in the footer; the main action comes last. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return (
    <div className="mt-2 flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3 max-md:pb-[max(0.75rem,env(safe-area-inset-bottom))] max-md:*:flex-1">
      {children}
    </div>
  );
}

/** Last in the focus order, so that a form's first field gets the focus when the dialog opens. */
export function DialogClose() {
  return (
    <Radix.Close asChild>
      <Button
        aria-label="Close"
        variant="ghost"
        size="sm"
        className="absolute top-3.5 right-3.5 aspect-square px-0! max-md:top-2 max-md:right-2 max-md:size-10"
      >
        <X aria-hidden />
      </Button>
    </Radix.Close>
  );
}

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
