'use client';
import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

type CopyFieldProps = { label: string; value: string };

/** A value to copy: an id, a token, a URL. */
export function CopyField({ label, value }: CopyFieldProps) {
  return (
    <div className="grid gap-1.5">
      <span className="text-[13px] font-medium">{label}</span>
      <div className="flex items-center gap-2">
        <code className="min-w-0 flex-1 rounded-md border border-line bg-sunken px-2.5 py-1.5 font-mono text-[13px] break-all">
          {value}
        </code>
        <CopyButton value={value} aria-label={`Copy ${label.toLowerCase()}`} />
      </div>
    </div>
  );
}

/** A secret that is shown only once. */
export function SecretField({ label, value, note }: CopyFieldProps & { note?: ReactNode }) {
  return (
    <div className="rounded-lg border border-warn-ink/25 bg-warn-soft p-3">
      <p className="mb-2 flex items-start gap-2 text-[13px] text-warn-ink">
        <KeyRound aria-hidden className="mt-0.5 size-3.5 shrink-0" />
        {note ?? 'Copy this now and keep it safe: it is shown only once.'}
      </p>
      <CopyField label={label} value={value} />
    </div>
  );
}
