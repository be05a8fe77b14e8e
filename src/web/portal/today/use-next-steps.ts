'use client';
import { useQuery } from '@tanstack/react-query';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { STATUSES } from '../appointments/appointment-filters.ts';
import { useMay } from '../me.tsx';
import { getNextSteps, type NextSteps } from './next-steps.ts';

/**
 * Steps that a clinic still needs before its first day; null when none is missing, until known, and for staff who may do
 * none of them.
 */
export function useNextSteps(): NextSteps | null {
  const trpc = useTRPC();
  const mayAdd = useMay('patients:write');
  const integrations = useQuery(trpc.integrations.list.queryOptions({}));
  const patients = useQuery({ ...trpc.patients.list.queryOptions({ size: 1 }), enabled: mayAdd });
  const lacksTimes = integrations.data?.some(
    ({ provider, status }) => provider === SCHEDULING_PROVIDER.id && status !== 'connected',
  );
  const appointments = useQuery({
    ...trpc.appointments.list.queryOptions({ status: STATUSES, size: 1 }),
    enabled: mayAdd && lacksTimes === true,
  });
  if (!mayAdd || !integrations.data || !patients.data || (lacksTimes && !appointments.data)) return null;
  return getNextSteps({
    integrations: integrations.data,
    hasPatients: patients.data.items.length > 0,
    hasAppointments: (appointments.data?.items.length ?? 0) > 0,
  });
}
