'use client';
import { useEffect, useState } from 'react';
import { RateLimitedError } from '#sdk/index.ts';
import { Button } from '#web/ui/button.tsx';
import { ErrorMessage } from './error-message.tsx';
import { useAction } from './use-action.ts';

type ResendProps = {
  /** RFC 3339; when another code can be requested. */
  from: string;
  /** @returns when the code after that can be requested */
  onResend: () => Promise<string>;
};

/** A button that requests another code, enabled once the service allows it. */
export function Resend({ from, onResend }: ResendProps) {
  const [now, setNow] = useState(Date.now);
  const [nextResendAt, setNextResendAt] = useState<string | null>(null);
  const [isSent, setSent] = useState(false);
  const { pending, error, run } = useAction();
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((Date.parse(nextResendAt ?? from) - now) / 1000));
  const resend = async () => {
    try {
      setNextResendAt(await onResend());
      setSent(true);
    } catch (error) {
      if (error instanceof RateLimitedError && error.retryAfterSeconds)
        setNextResendAt(inSeconds(error.retryAfterSeconds));
      throw error;
    }
  };
  return (
    <div className="mt-4 grid gap-3">
      <p className="flex flex-wrap items-center justify-between gap-x-3 text-[13px] text-muted">
        <span aria-live="polite">{isSent ? 'Another code is on its way.' : 'No message?'}</span>
        <Button variant="link" size="sm" disabled={seconds > 0} pending={pending} onClick={() => void run(resend)}>
          {seconds > 0 ? `Send another in ${seconds} s` : 'Send another code'}
        </Button>
      </p>
      <ErrorMessage error={error} />
    </div>
  );
}

export const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
