'use client';
import { useQuery } from '@tanstack/react-query';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { MailDomain } from './mail-domain.tsx';
import { SendingForm } from './sending-form.tsx';
import { WordsCard } from './words-card.tsx';

/** Settings of messages about appointments: which patients get, when, and with which texts. */
export function MessagesPage() {
  const trpc = useTRPC();
  const kept = useQuery(trpc.messageSettings.get.queryOptions({}));
  return (
    <>
      <PageHeader title="Messages" description="What patients are sent of their visits, when, and in which words" />
      <div className="grid grid-cols-1 gap-8">
        <Card aria-label="What patients are sent">
          <CardHeader
            title="What patients are sent"
            description="Times are on each patient’s own clock where their time zone is known."
          />
          {/* The form stays mounted when a refetch fails, so that unsaved input is not lost. */}
          {kept.error && !kept.data ? (
            <ErrorState error={kept.error} onRetry={() => void kept.refetch()} />
          ) : (
            <CardBody>{kept.data ? <SendingForm kept={kept.data} /> : <Skeleton className="h-150" />}</CardBody>
          )}
        </Card>
        {kept.data && <WordsCard kept={kept.data} />}
        <MailDomain />
      </div>
    </>
  );
}
