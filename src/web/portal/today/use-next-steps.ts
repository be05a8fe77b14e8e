'use client';
import { useQuery } from '@tanstack/react-query';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { STATUSES } from '../appointments/views.ts';
import { type NextSteps, nextStepsOf } from './next-steps.ts';

/** Steps that a clinic still needs before its first day; null when none is missing, or until known. */
export function useNextSteps(): NextSteps | null {
  const trpc = useTRPC();
  const integrations = useQuery(trpc.integrations.list.queryOptions({}));
  const patients = useQuery(trpc.patients.list.queryOptions({ size: 1 }));
  const lacksTimes = integrations.data?.some(
    ({ provider, status }) => provider === SCHEDULING_PROVIDER.id && status !== 'connected',
  );
  const visits = useQuery({
    ...trpc.appointments.list.queryOptions({ status: STATUSES, size: 1 }),
    enabled: lacksTimes === true,
  });
  if (!integrations.data || !patients.data || (lacksTimes && !visits.data)) return null;
  return nextStepsOf({
    integrations: integrations.data,
    hasPatients: patients.data.items.length > 0,
    hasVisits: (visits.data?.items.length ?? 0) > 0,
  });
}
