'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

const ConfirmDialog = dynamic(() => import('#web/ui/confirm-dialog.tsx').then((module) => module.ConfirmDialog), {
  ssr: false,
});
const CalendarLinkDialog = dynamic(
  () => import('./calendar-link-dialog.tsx').then((module) => module.CalendarLinkDialog),
  { ssr: false },
);

/** Lets staff users subscribe to their own appointments in an external calendar program by a revocable link. */
export function CalendarLinkCard() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [isEnding, setIsEnding] = useState(false);
  const feed = useQuery(trpc.calendarFeed.get.queryOptions({}));
  const refresh = () => queries.invalidateQueries(trpc.calendarFeed.pathFilter());
  const make = useMutation({
    mutationFn: () => client.calendarFeed.make.mutate({}),
    onSuccess: refresh,
    onError: (error) => toast.error(firstErrorMessage(error)),
  });
  const madeAt = feed.data?.made_at;
  return (
    <Card aria-label="Your calendar elsewhere">
      <CardHeader
        title="Your calendar elsewhere"
        description="A link with which a calendar program shows when you have visits, and keeps up with them. It names no patient, unless an administrator allows it."
      />
      {feed.error ? (
        <ErrorState error={feed.error} onRetry={() => void feed.refetch()} />
      ) : (
        <CardBody className="grid gap-3">
          {feed.data ? (
            <>
              {madeAt && (
                <p className="text-muted">
                  There is a link, made <DateTime value={madeAt} />.
                </p>
              )}
              <div className="flex flex-wrap gap-2">
                <Button pending={make.isPending} onClick={() => make.mutate()}>
                  {madeAt ? 'Make a new link' : 'Make a link'}
                </Button>
                {madeAt && (
                  <Button variant="ghost" onClick={() => setIsEnding(true)}>
                    End the link
                  </Button>
                )}
              </div>
            </>
          ) : (
            <Skeleton className="h-8 w-32" />
          )}
        </CardBody>
      )}
      {make.data && <CalendarLinkDialog url={make.data.url} onDone={() => make.reset()} />}
      {isEnding && (
        <ConfirmDialog
          title="End the link?"
          description="Calendar programs that follow it show nothing new from now on."
          confirmLabel="End the link"
          keepLabel="Keep it"
          act={() => client.calendarFeed.end.mutate({})}
          done="The link is ended"
          refresh={refresh}
          onClose={() => setIsEnding(false)}
        />
      )}
    </Card>
  );
}
