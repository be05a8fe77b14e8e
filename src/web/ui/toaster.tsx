'use client';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { Button } from './button.tsx';
import { dismissToast, readToasts, runToastAction, subscribeToToasts } from './toast.ts';

const NONE: never[] = [];

/** The undo of a text field takes precedence. */
const isTyping = () => document.activeElement?.matches('input, textarea, select, [contenteditable]') ?? false;

/** Runs the newest toast's action on Ctrl+Z/Cmd+Z: on a long page the button is far away by Tab. */
function undoByKey(event: KeyboardEvent) {
  const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z';
  const newest = isUndo && !isTyping() ? readToasts().findLast(({ action }) => action) : undefined;
  if (!newest) return;
  event.preventDefault();
  runToastAction(newest.id);
}

/** The toast region. It is always mounted, so that screen readers announce new toasts. */
export function Toaster() {
  const toasts = useSyncExternalStore(subscribeToToasts, readToasts, () => NONE);
  useEffect(() => {
    window.addEventListener('keydown', undoByKey);
    return () => window.removeEventListener('keydown', undoByKey);
  }, []);
  return (
    <section
      aria-label="Notifications"
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 z-80 grid w-80 max-w-[calc(100vw-2rem)] gap-2 max-lg:bottom-20 print:hidden"
    >
      {toasts.map(({ id, tone, title, description, action }) => (
        <div
          key={id}
          className="pointer-events-auto flex animate-rise items-start gap-2.5 rounded-lg border border-line bg-raised py-2.5 pr-2 pl-3 shadow-pop"
        >
          {tone === 'error' ? (
            <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger-ink" />
          ) : (
            <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good-ink" />
          )}
          <div className="min-w-0 flex-1">
            <p className="font-medium wrap-anywhere">{title}</p>
            {description && <p className="text-[13px] text-muted wrap-anywhere">{description}</p>}
            {action && (
              <Button size="sm" className="mt-1.5" aria-keyshortcuts="Control+Z" onClick={() => runToastAction(id)}>
                {action.label}
              </Button>
            )}
          </div>
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => dismissToast(id)}
            className="grid size-6 place-items-center rounded-sm text-muted hover:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </div>
      ))}
    </section>
  );
}
