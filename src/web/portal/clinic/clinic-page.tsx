'use client';
import { useQuery } from '@tanstack/react-query';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { ClinicForm } from './clinic-form.tsx';
import { LogoCard } from './logo-card.tsx';
import { VisitCheckCard } from './visit-check-card.tsx';

/** Settings of what patients see of the clinic on pages, in emails and in text messages. */
export function ClinicPage() {
  const trpc = useTRPC();
  const clinic = useQuery(trpc.clinic.get.queryOptions({}));
  return (
    <>
      <PageHeader
        title="Clinic"
        description="How patients see you on pages, in mails and in texts, and how they enter visits"
      />
      <div className="grid gap-8">
        <LogoCard clinic={clinic.data ?? null} />
        <Card aria-label="About the clinic">
          <CardHeader title="About the clinic" description="Patients read this on every page that you send them to." />
          {clinic.error ? (
            <ErrorState error={clinic.error} onRetry={() => void clinic.refetch()} />
          ) : (
            <CardBody>{clinic.data ? <ClinicForm clinic={clinic.data} /> : <Skeleton className="h-200" />}</CardBody>
          )}
        </Card>
        <VisitCheckCard />
      </div>
    </>
  );
}
