'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Inbox } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { DataTableSkeleton } from '#web/ui/data-table-skeleton.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { LoadMore } from '#web/ui/pagination.tsx';
import { SearchInput } from '#web/ui/search-input.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { Message } from './message.tsx';

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
        description="Mails and texts that this sandbox sent to your patients and staff. Nothing left this machine."
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
