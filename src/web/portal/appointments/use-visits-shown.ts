'use client';
import { usePatientNames } from '../patients/use-patient-names.ts';
import { useVisits, type VisitFilter } from './use-visits.ts';

/** Whether a list of visits stands on the page with its names, or says why it cannot: what is below it stays where it is. */
export function useVisitsShown(filter: VisitFilter, size: number): boolean {
  const { rows, error } = useVisits(filter, size);
  const nameOf = usePatientNames(rows?.map((visit) => visit.patient_id));
  return error !== null || (rows !== undefined && nameOf !== null);
}
