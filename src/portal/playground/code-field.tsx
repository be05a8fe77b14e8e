'use client';
import { Inbox } from 'lucide-react';
import { Field } from '#portal/ui/field.tsx';
import { Input } from '#portal/ui/input.tsx';

/** Six digits from a message. In a sandbox no message leaves the machine, so the field says where it lies. */
export function CodeField() {
  return (
    <div className="grid gap-3">
      <Field label="Code">
        <Input
          name="code"
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={12}
          className="h-12! text-center font-mono text-xl! tracking-[0.35em]"
        />
      </Field>
      <p className="flex gap-2 rounded-lg bg-info-soft px-3 py-2 text-[13px] text-info-ink">
        <Inbox aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>
          Sandbox: nothing leaves this machine. The message lies in the portal’s{' '}
          <a
            href="/inbox"
            target="_blank"
            rel="noopener"
            className="rounded-sm font-medium underline underline-offset-3"
          >
            Inbox
          </a>
          , for staff.
        </span>
      </p>
    </div>
  );
}
