'use client';
import { Mail, Smartphone } from 'lucide-react';
import { Button } from '#web/ui/button.tsx';
import { useSentCode } from './use-sent-code.ts';

type SentCodeProps = { to: string; isReload: boolean };

/** Shows the message that the patient's phone would get; in a sandbox it stays on the machine. */
export function SentCode({ to, isReload }: SentCodeProps) {
  const sent = useSentCode(to, isReload);
  const isMail = to.includes('@');
  const Icon = isMail ? Mail : Smartphone;
  return (
    <section
      aria-label="The patient’s messages"
      aria-live="polite"
      className="mb-3 flex min-h-16 items-center gap-3 rounded-xl border border-line bg-surface px-4 py-2 shadow-card"
    >
      <Icon aria-hidden className="size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="text-xs text-muted">Sandbox: the patient’s {isMail ? 'email' : 'text message'}</p>
        {sent.is === 'here' && <p className="font-mono text-lg tracking-[0.2em]">{sent.code}</p>}
        {sent.is === 'awaited' && <p className="text-muted">On its way…</p>}
        {sent.is === 'elsewhere' && (
          <p className="text-muted">
            It lies in the portal’s{' '}
            <a href="/inbox" target="_blank" rel="noopener" className="rounded-sm underline underline-offset-3">
              Inbox
            </a>
            , for staff.
          </p>
        )}
      </div>
      {sent.is === 'here' && (
        <Button size="sm" onClick={() => fillIn(sent.code)}>
          Fill in
        </Button>
      )}
    </section>
  );
}

/** Fills in the code like a phone's keyboard: the app itself does not know where the code comes from. */
function fillIn(code: string): void {
  const field = document.querySelector<HTMLInputElement>('input[autocomplete="one-time-code"]');
  if (!field) return;
  field.value = code;
  field.focus();
}
