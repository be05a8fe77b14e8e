'use client';
import { useQuery } from '@tanstack/react-query';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { VisitCheckForm } from './visit-check-form.tsx';

/** Setting for who may enter a video visit. A room on another site has its own checks. */
export function VisitCheckCard() {
  const trpc = useTRPC();
  const check = useQuery(trpc.visits.getCheck.queryOptions({}));
  return (
    <Card aria-label="Video visits">
      <CardHeader title="Video visits" description="Patients enter a visit by the link in their confirmation." />
      {check.error ? (
        <ErrorState error={check.error} onRetry={() => void check.refetch()} />
      ) : (
        <CardBody>
          {!check.data ? (
            <Skeleton className="h-24" />
          ) : check.data.is_own_room ? (
            <VisitCheckForm kept={check.data} />
          ) : (
            <p>
              Your visits take place on another page, which asks patients for what it wants. Nothing is set up here.
            </p>
          )}
        </CardBody>
      )}
    </Card>
  );
}
