'use client';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Inbox, Mail, MessageSquareText } from 'lucide-react';
import { useState } from 'react';
import type { MessageView } from '#contract/inbox.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { LoadMore } from '#web/ui/pagination.tsx';
import { SearchInput } from '#web/ui/search-input.tsx';
import { DataTableSkeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC } from '../../trpc-client.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { splitLinks } from './split-links.ts';

/** Keywords that a phone can reply with. */
const REPLIES = ['STOP', 'START', 'HELP'] as const;

/** Replies to a text message as the patient's phone would. */
function ReplyButtons({ id }: { id: string }) {
  const trpc = useTRPC();
  const refresh = useInvalidate('inbox');
  const [repliedText, setRepliedText] = useState<string | null>(null);
  const reply = useMutation(
    trpc.inbox.reply.mutationOptions({
      onSuccess: (_, { text }) => {
        toast.success(`Answered ${text}`);
        return refresh();
      },
      onError: (error) => toast.error(firstErrorMessage(error)),
    }),
  );
  return (
    <fieldset className="flex flex-wrap items-center gap-2 border-0 p-0">
      <legend className="sr-only">Answer as the patient’s phone</legend>
      <span aria-hidden className="text-[13px] text-muted">
        Answer as the patient’s phone
      </span>
      {REPLIES.map((text) => (
        <Button
          key={text}
          size="sm"
          pending={reply.isPending && repliedText === text}
          onClick={() => {
            setRepliedText(text);
            reply.mutate({ id, text });
          }}
        >
          {text}
        </Button>
      ))}
    </fieldset>
  );
}

const LINK_CLASS =
  'rounded-sm text-accent-ink underline decoration-accent/40 underline-offset-3 wrap-anywhere hover:decoration-current';

/** One message as plain text with clickable links; the HTML part of an email is never rendered. */
function Message({ message: { id, kind, to, subject, text, code, received_at } }: { message: MessageView }) {
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
              <a key={at} href={part} target="_blank" rel="noopener noreferrer" className={LINK_CLASS}>
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
        {kind === 'sms' && <ReplyButtons id={id} />}
      </article>
    </li>
  );
}

const STEP = 25;
const MAX_SIZE = 1000;
const REFRESH_MS = 4000;

/** Messages that the sandbox captured instead of sending them by SMTP or SMS. */
export function InboxPage() {
  const trpc = useTRPC();
  const [search, setSearch] = useQueryParam('search');
  const [size, setSize] = useState(STEP);
  const input = { size, ...(search && { search }) };
  const messages = useQuery({
    ...trpc.inbox.list.queryOptions(input),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const items = messages.data?.items;
  return (
    <>
      <PageHeader
        title="Inbox"
        description="Emails and texts that this sandbox sent to your patients and staff. Nothing left this machine."
      />
      <Card aria-label="Inbox" className="overflow-hidden">
        <div className="border-b border-line p-2.5">
          <SearchInput
            label="Search by address or words"
            value={search}
            onSearch={setSearch}
            className="w-full md:w-80"
          />
        </div>
        {messages.error ? (
          <ErrorState error={messages.error} onRetry={() => void messages.refetch()} />
        ) : !items ? (
          <DataTableSkeleton columns={2} />
        ) : items.length > 0 ? (
          <>
            <ul aria-busy={messages.isPlaceholderData || undefined} className="divide-y divide-line">
              {items.map((message) => (
                <Message key={message.id} message={message} />
              ))}
            </ul>
            <LoadMore
              count={items.length}
              noun="message"
              hasMore={messages.data?.next !== null && size < MAX_SIZE}
              pending={messages.isPlaceholderData}
              onMore={() => setSize((shown) => Math.min(shown + STEP, MAX_SIZE))}
            />
          </>
        ) : (
          <div aria-live="polite">
            {search ? (
              <EmptyState icon={Inbox} title="No message matches" description="Try fewer words." />
            ) : (
              <EmptyState
                icon={Inbox}
                title="Nothing sent yet"
                description="Codes, invitations and links to pay show here as soon as they are sent."
                action={
                  <Button asChild>
                    <Link href="/patients">Go to patients</Link>
                  </Button>
                }
              />
            )}
          </div>
        )}
      </Card>
    </>
  );
}
