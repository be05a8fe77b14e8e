'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck } from 'lucide-react';
import type { FailedJobView } from '#contract/system.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC } from '../../trpc-client.tsx';
import { chainFaultMessage } from '../audit/chain-messages.ts';
import { useChain } from '../audit/use-chain.ts';
import { useMe } from '../me.tsx';

const COLUMNS: Column<FailedJobView>[] = [
  {
    header: 'Work',
    phone: 'title',
    cell: ({ what, why }) => (
      <span className="grid">
        <span className="font-medium">{what}</span>
        <span className="text-[13px] text-muted wrap-anywhere">{why}</span>
      </span>
    ),
  },
  { header: 'Asked for', cell: ({ queued_at }) => <DateTime value={queued_at} /> },
  { header: 'Last tried', cell: ({ failed_at }) => <DateTime value={failed_at} /> },
  { header: 'Tries', align: 'end', cell: ({ attempts }) => <span className="tabular-nums">{attempts}</span> },
  { header: 'Actions', hideHeader: true, align: 'end', phone: 'lead', cell: (job) => <RetryButton job={job} /> },
];

/** Failed background jobs, which an admin can see and retry. */
export function SystemPage() {
  const trpc = useTRPC();
  const failed = useQuery(trpc.system.failedJobs.queryOptions({}));
  const hidden = (failed.data?.total ?? 0) - (failed.data?.jobs.length ?? 0);
  return (
    <>
      <PageHeader title="System" description="Work in the background that did not succeed" />
      <BrokenChainNotice />
      <DataTable<FailedJobView>
        label="Failed work"
        columns={COLUMNS}
        rows={failed.data?.jobs}
        rowId={(job) => job.id}
        error={failed.error}
        onRetry={() => void failed.refetch()}
        empty={
          <EmptyState
            icon={CircleCheck}
            title="Nothing has failed"
            description="Messages, payments and bookings that cannot be finished after many tries show here."
          />
        }
      />
      {hidden > 0 && <p className="mt-3 text-[13px] text-muted">{hidden} older ones are not shown.</p>}
    </>
  );
}

function RetryButton({ job }: { job: FailedJobView }) {
  const trpc = useTRPC();
  const refresh = useInvalidate('system');
  const retry = useMutation(
    trpc.system.retryJob.mutationOptions({
      onSuccess: () => toast.success('It is being tried again'),
      onError: (error) => toast.error(firstErrorMessage(error)),
      onSettled: refresh,
    }),
  );
  return (
    <Button
      size="sm"
      pending={retry.isPending}
      onClick={() => retry.mutate({ id: job.id })}
      aria-label={`Try again: ${job.what}`}
    >
      Try again
    </Button>
  );
}

/** Alerts admins that the audit log failed verification; renders nothing while it is intact. */
function BrokenChainNotice() {
  const { data: chain } = useChain();
  const zone = useMe().tenant.time_zone;
  if (!chain?.last?.fault) return null;
  return (
    <div role="alert" className="mb-5 flex items-start gap-2 rounded-md bg-danger-soft px-3 py-2 text-danger-ink">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p className="wrap-anywhere">
        The audit log was tampered with. {chainFaultMessage(chain.last.fault, zone)}{' '}
        <Link href="/settings/audit" className="underline underline-offset-2">
          See the audit log
        </Link>
      </p>
    </div>
  );
}
