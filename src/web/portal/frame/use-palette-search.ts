'use client';
import { CalendarClock, CreditCard } from 'lucide-react';
import { useCallback } from 'react';
import type { PatientView } from '#contract/patients.ts';
import type { AppointmentView } from '#contract/scheduling.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { PaletteHit } from '#web/ui/command-palette-panel.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { visitTime } from '#web/ui/format-time.ts';
import { statusLabel } from '#web/ui/status-badge.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { nameOfPatient } from '../patients/name-of-patient.ts';
import { shownStatus } from '../subscriptions/shown-status.ts';

const MOST_PATIENTS = 6;
/** Number of found patients whose appointments and subscriptions are searched, and the maximum shown of each. */
const LOOKED_INTO = 3;
const MOST_OF_EACH = 4;

/** Palette search by name, email or phone number: patients, their upcoming appointments, their subscriptions. */
export function usePaletteSearch() {
  const client = useTRPCClient();
  const zone = useReaderZone();
  return useCallback(
    async (text: string, signal: AbortSignal): Promise<PaletteHit[]> => {
      const found = await client.patients.list.query({ size: MOST_PATIENTS, search: text }, { signal });
      const patients = found.items;
      const near = patients.filter((patient) => patient.status !== 'archived').slice(0, LOOKED_INTO);
      if (near.length === 0) return patients.map(patientHit);
      // Started together, so they travel as one batched request.
      const [visits, ...subscriptions] = await Promise.all([
        client.appointments.list.query(
          { attendee_ids: near.map(({ id }) => id), period: 'upcoming', sort_by: 'from_date', size: MOST_OF_EACH },
          { signal },
        ),
        ...near.map(({ id }) => client.subscriptions.list.query({ patient_id: id, size: MOST_OF_EACH }, { signal })),
      ]);
      const nameOf = (id: string) => nameOfPatient(near.find((patient) => patient.id === id) ?? near[0]!);
      return [
        ...patients.map(patientHit),
        ...visits.items.map((visit) => visitHit(visit, nameOf(visit.patient_id), zone)),
        ...subscriptions
          .flatMap((page) => page.items)
          .slice(0, MOST_OF_EACH)
          .map((subscription) => subscriptionHit(subscription, nameOf(subscription.patient_id))),
      ];
    },
    [client, zone],
  );
}

const patientHit = (patient: PatientView): PaletteHit => ({
  id: patient.id,
  group: 'Patients',
  label: nameOfPatient(patient),
  hint: patient.email ?? formatPhone(patient.phone_number ?? ''),
  href: `/patients/${patient.id}`,
});

const visitHit = (visit: AppointmentView, name: string, zone: string): PaletteHit => ({
  id: visit.id,
  group: 'Visits',
  label: visitTime(visit.from_date, zone, visit.time_zone),
  hint: `${visit.appointment_type}, ${name}`,
  href: `/appointments/${visit.id}`,
  icon: CalendarClock,
});

const subscriptionHit = (subscription: SubscriptionView, name: string): PaletteHit => ({
  id: subscription.id,
  group: 'Subscriptions',
  label: subscription.name ?? 'Plan',
  hint: `${statusLabel('subscription', shownStatus(subscription))}, ${name}`,
  href: `/patients/${subscription.patient_id}`,
  icon: CreditCard,
});
