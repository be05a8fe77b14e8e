'use client';
import { usePatientNames } from '../patients/use-patient-names.ts';
import { type AppointmentFilter, useAppointments } from './use-appointments.ts';

/** Returns whether a list of appointments is rendered with names, or failed; content below waits for it. */
export function useAppointmentsLoaded(filter: AppointmentFilter, size: number): boolean {
  const { rows, error } = useAppointments(filter, size);
  const nameOf = usePatientNames(rows?.map((visit) => visit.patient_id));
  return error !== null || (rows !== undefined && nameOf !== null);
}
