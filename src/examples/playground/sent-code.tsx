'use client';
import { Mail, Smartphone } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '#web/ui/button.tsx';

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
            It is in the portal’s{' '}
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

/** A code can be requested every 30 seconds at most, and is sent immediately. */
const SINCE_MS = 20_000;
/** After a reload, the code may have been sent earlier. */
const SINCE_RELOAD_MS = 600_000;
const OFTEN_MS = 1000;
const SELDOM_MS = 3000;

type CodeState = { is: 'awaited' } | { is: 'here'; code: string; kind: 'email' | 'sms' } | { is: 'elsewhere' };

/**
 * Polls for the newest code that the sandbox sent to an address.
 * @param isReload whether the page was opened on this screen
 */
function useSentCode(to: string, isReload: boolean): CodeState {
  const [sent, setSent] = useState<CodeState>({ is: 'awaited' });
  useEffect(() => {
    const after = new Date(Date.now() - (isReload ? SINCE_RELOAD_MS : SINCE_MS)).toISOString();
    let timer: ReturnType<typeof setTimeout>;
    let isWanted = true;
    const look = async () => {
      const response = await fetchCode(to, after);
      if (!isWanted) return;
      if (response) setSent(response);
      if (response?.is !== 'elsewhere') timer = setTimeout(look, response?.is === 'here' ? SELDOM_MS : OFTEN_MS);
    };
    void look();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [to, isReload]);
  return sent;
}

/** Returns null when there is no code yet, or after an error. */
async function fetchCode(to: string, after: string): Promise<CodeState | null> {
  try {
    const response = await fetch('/api/sandbox/codes', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to, after }),
    });
    if (response.status === 404) return { is: 'elsewhere' };
    const [newest] = response.ok ? (await response.json()).items : [];
    return newest ? { is: 'here', code: newest.code, kind: newest.kind } : null;
  } catch {
    return null;
  }
}
