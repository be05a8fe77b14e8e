'use client';
import { useQuery } from '@tanstack/react-query';
import { Card } from '#web/ui/card.tsx';
import { DataTableSkeleton } from '#web/ui/data-table-skeleton.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { CalendarLinkCard } from './calendar-link-card.tsx';
import { DailyListCard } from './daily-list-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { TwoStepCard } from './two-step-card.tsx';

export function AccountPage() {
  const trpc = useTRPC();
  const account = useQuery(trpc.account.get.queryOptions({}));
  return (
    <>
      <PageHeader title="Your account" description="How you sign in, and what others call you" />
      {account.data ? (
        <div className="grid max-w-2xl gap-5">
          <TwoStepCard account={account.data} />
          <ProfileCard account={account.data} />
          <PasswordCard email={account.data.email} />
          <CalendarLinkCard />
          <DailyListCard />
          <SessionsCard />
        </div>
      ) : (
        <Card className="max-w-2xl">
          {account.error ? (
            <ErrorState error={account.error} onRetry={() => void account.refetch()} />
          ) : (
            <DataTableSkeleton columns={2} />
          )}
        </Card>
      )}
    </>
  );
}
