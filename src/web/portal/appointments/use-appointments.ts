'use client';
import type { ListAppointmentsInput } from '#contract/scheduling.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { usePages } from '../use-pages.ts';

type Filtered =
  | 'patient_id'
  | 'practitioner_id'
  | 'scheduled_after'
  | 'scheduled_before'
  | 'calendar_id'
  | 'appointment_type_id'
  | 'scheduling_issue'
  | 'checked_in'
  | 'completed';
export type AppointmentFilter = Partial<Pick<ListAppointmentsInput, Filtered | 'status' | 'period' | 'sort_by'>>;

const PAGE_SIZE = 20;
/** Loads a whole day in one page, so that it can be counted. */
export const WHOLE_DAY = 1000;

/**
 * Appointments in server order, in the shape of DataTable. Components with the same filter share one query. Null: the
 * filter is not known yet.
 */
export function useAppointments(filter: AppointmentFilter | null, size = PAGE_SIZE) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const input = { ...filter, size };
  return usePages({
    queryKey: trpc.appointments.list.queryKey(input),
    read: (from, signal) => client.appointments.list.query({ ...input, ...from }, { signal }),
    enabled: filter !== null,
  });
}

/** Returns whether a list of appointments is rendered with names, or failed; content below waits for it. */
export function useAppointmentsLoaded(filter: AppointmentFilter | null, size: number): boolean {
  const { rows, error } = useAppointments(filter, size);
  const labelOf = usePatientLabels(rows?.map((appointment) => appointment.patient_id));
  return error !== null || (rows !== undefined && labelOf !== null);
}
