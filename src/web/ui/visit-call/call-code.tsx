'use client';
import { LockKeyhole, ShieldAlert } from 'lucide-react';
import { useRef, useState } from 'react';
import { Dialog, DialogBody } from '#web/ui/dialog.tsx';
import type { CodeState } from './verification.ts';

type CallCodeProps = { code: CodeState; other: string; isOverdue: boolean };

/**
 * The verification code of the connection with its explanation. A missing code is reported too: an attacker in between
 * could suppress it.
 */
export function CallCode({ code, other, isOverdue }: CallCodeProps) {
  const [isOpen, setOpen] = useState(false);
  const first = useRef<string | null>(null);
  if (code.at === 'coming') return isOverdue ? <Warning>{UNCHECKED}</Warning> : null;
  if (code.at === 'failed')
    return (
      <Warning>This call may not be private: someone else may be listening in. Leave, and use the telephone.</Warning>
    );
  const words = code.words.join(' ');
  first.current ??= words;
  // A code that was compared before says nothing about a later connection.
  const isNew = words !== first.current;
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-label={`Private line. ${isNew ? 'New code' : 'Code'}: ${words}. What is this?`}
        data-call-code={words}
        className="inline-flex min-h-8 items-center gap-1.5 rounded-full bg-good-soft px-3 text-[13px] font-medium text-good-ink hover:underline"
      >
        <LockKeyhole aria-hidden className="size-3.5 shrink-0" />
        {isNew && 'New code: '}
        {words}
      </button>
      <p role="status" className="sr-only">
        {isNew && `You were connected again, so the four words are new: ${words}.`}
      </p>
      {isOpen && (
        <Dialog open onOpenChange={setOpen} title="Is this call private?" size="sm">
          <DialogBody className="grid gap-3 pb-5">
            {isNew && <p>You were connected again during this call, so the words are new.</p>}
            <p>
              Only you and {other} can see and hear this call. To be certain, read these four words aloud to each other:
            </p>
            <p className="rounded-lg bg-sunken px-3 py-4 text-center text-lg font-semibold tracking-wide">{words}</p>
            <p>
              If {other} has the same words, no one is listening in, not even the service that connected you. If the
              words differ, leave and use the telephone.
            </p>
          </DialogBody>
        </Dialog>
      )}
    </>
  );
}

const UNCHECKED =
  'We could not check that this call is private. Leave and come back; if this stays, use the telephone.';

function Warning({ children }: { children: string }) {
  return (
    <p role="alert" className="flex items-start gap-2 rounded-md bg-danger-soft px-3 py-2 text-danger-ink">
      <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {children}
    </p>
  );
}
