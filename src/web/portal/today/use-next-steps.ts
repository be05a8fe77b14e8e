'use client';
import { useQuery } from '@tanstack/react-query';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { STATUSES } from '../appointments/appointment-filters.ts';
import { useMay } from '../me.tsx';
import { type Clinic, getNextSteps, type NextSteps } from './next-steps.ts';

/**
 * Steps that a clinic still needs before its first day; null when none is missing, until known, and for staff who may do
 * none of them.
 */
export function useNextSteps(): NextSteps | null {
  const trpc = useTRPC();
  const mayAdd = useMay('patients:write');
  const maySetUp = useMay('settings:manage');
  const integrations = useQuery(trpc.integrations.list.queryOptions({}));
  const patients = useQuery({ ...trpc.patients.list.queryOptions({ size: 1 }), enabled: mayAdd });
  const statusOf = (id: string) => integrations.data?.find(({ provider }) => provider === id)?.status ?? 'disconnected';
  const needsAppointments = maySetUp || statusOf(SCHEDULING_PROVIDER.id) !== 'connected';
  const appointments = useQuery({
    ...trpc.appointments.list.queryOptions({ status: STATUSES, size: 1 }),
    enabled: mayAdd && integrations.data !== undefined && needsAppointments,
  });
  const hasAppointments = (appointments.data?.items.length ?? 0) > 0;
  const isNew = appointments.data !== undefined && !hasAppointments;
  const setup = useSetup({ isNew: isNew && maySetUp, hasPayments: statusOf('stripe') !== 'disconnected' });
  if (!mayAdd || !integrations.data || !patients.data) return null;
  if (needsAppointments && !appointments.data) return null;
  if (isNew && maySetUp && !setup) return null;
  return getNextSteps({
    integrations: integrations.data,
    hasPatients: patients.data.items.length > 0,
    hasAppointments,
    setup,
  });
}

/** What only a new clinic is asked about, so that the page of any other costs no more; null until known. */
function useSetup({ isNew, hasPayments }: { isNew: boolean; hasPayments: boolean }): Clinic['setup'] {
  const trpc = useTRPC();
  const clinic = useQuery({ ...trpc.clinic.get.queryOptions({}), enabled: isNew });
  const team = useQuery({ ...trpc.team.list.queryOptions({}), enabled: isNew });
  const plans = useQuery({ ...trpc.plans.list.queryOptions({ size: 1 }), enabled: isNew && hasPayments, retry: false });
  const arePlansKnown = !hasPayments || !plans.isLoading;
  if (!isNew || !clinic.data || !team.data || !arePlansKnown) return null;
  return {
    hasPlans: (plans.data?.items.length ?? 0) > 0,
    hasLogo: clinic.data.logo !== null,
    hasColleagues: team.data.length > 1,
  };
}
