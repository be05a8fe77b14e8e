import { Mail, MessageSquareText } from 'lucide-react';
import type { MessageView } from '#contract/inbox.ts';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { splitLinks } from './split-links.ts';
import { WriteBack } from './write-back.tsx';

const LINK =
  'rounded-sm text-accent-ink underline decoration-accent/40 underline-offset-3 wrap-anywhere hover:decoration-current';

/** One message as plain text with clickable links; the HTML part of an email is never rendered. */
export function Message({ message: { id, kind, to, subject, text, code, received_at } }: { message: MessageView }) {
  const Icon = kind === 'email' ? Mail : MessageSquareText;
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 px-4 py-4">
      <Icon aria-hidden className="mt-0.5 size-4 text-muted" />
      <article className="grid gap-2">
        <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5">
          <h2 className="font-medium wrap-anywhere">{kind === 'email' ? subject || 'No subject' : 'Text message'}</h2>
          <span className="text-[13px] text-muted">
            <DateTime value={received_at} />
          </span>
          <p className="basis-full text-[13px] wrap-anywhere text-muted">To {to.map(formatPhone).join(', ')}</p>
        </header>
        <p className="max-w-prose whitespace-pre-line wrap-anywhere">
          {splitLinks(text).map(({ part, at, isLink }) =>
            isLink ? (
              <a key={at} href={part} target="_blank" rel="noopener noreferrer" className={LINK}>
                {part}
              </a>
            ) : (
              part
            ),
          )}
        </p>
        {code && (
          <p className="flex items-center gap-2">
            <code className="rounded-md border border-line bg-sunken px-2 py-0.5 font-mono">{code}</code>
            <CopyButton size="sm" value={code} label="Copy code" aria-label={`Copy code ${code}`} />
          </p>
        )}
        {kind === 'sms' && <WriteBack id={id} />}
      </article>
    </li>
  );
}
