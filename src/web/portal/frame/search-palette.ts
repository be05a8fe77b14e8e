import { CalendarClock, CreditCard } from 'lucide-react';
import type { PatientView } from '#contract/patients.ts';
import type { AppointmentView } from '#contract/scheduling.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { PaletteHit } from '#web/ui/command-palette.tsx';
import { appointmentTime } from '#web/ui/format-time.ts';
import { statusLabel } from '#web/ui/status-badge.tsx';
import type { useTRPCClient } from '../../trpc-client.tsx';
import { bornLabel, nameOfPatient } from '../patients/patient.ts';
import { hintOfPatient } from '../patients/use-patient-search.ts';
import { shownStatus } from '../subscriptions/subscription.ts';

const MAX_PATIENTS = 6;
/** Number of found patients whose appointments and subscriptions are searched, and the maximum shown of each. */
const SEARCHED_PATIENTS = 3;
const MAX_PER_PATIENT = 4;

type Searching = { client: ReturnType<typeof useTRPCClient>; zone: string };

/** Palette search by name, date of birth, email or phone number: patients, their upcoming appointments, their subscriptions. */
export async function searchPalette(
  { client, zone }: Searching,
  text: string,
  signal: AbortSignal,
): Promise<PaletteHit[]> {
  const result = await client.patients.list.query({ size: MAX_PATIENTS, search: text }, { signal });
  const patients = result.items;
  const unarchivedPatients = patients.filter((patient) => patient.status !== 'archived').slice(0, SEARCHED_PATIENTS);
  const [first] = unarchivedPatients;
  const patientHits = patients.map((patient) => patientHit(patient, result.is_similar));
  if (!first) return patientHits;
  // Started together, so they travel as one batched request.
  const [appointments, ...subscriptions] = await Promise.all([
    client.appointments.list.query(
      {
        attendee_ids: unarchivedPatients.map(({ id }) => id),
        period: 'upcoming',
        sort_by: 'from_date',
        size: MAX_PER_PATIENT,
      },
      { signal },
    ),
    ...unarchivedPatients.map(({ id }) =>
      client.subscriptions.list.query({ patient_id: id, size: MAX_PER_PATIENT }, { signal }),
    ),
  ]);
  const labelOf = (id: string) => {
    const patient = unarchivedPatients.find((one) => one.id === id) ?? first;
    return [nameOfPatient(patient), bornLabel(patient.birth_date)].filter(Boolean).join(', ');
  };
  return [
    ...patientHits,
    ...appointments.items.map((appointment) => appointmentHit(appointment, labelOf(appointment.patient_id), zone)),
    ...subscriptions
      .flatMap((page) => page.items)
      .slice(0, MAX_PER_PATIENT)
      .map((subscription) => subscriptionHit(subscription, labelOf(subscription.patient_id))),
  ];
}

const patientHit = (patient: PatientView, isSimilar = false): PaletteHit => ({
  id: patient.id,
  group: isSimilar ? 'Patients spelled nearly the same' : 'Patients',
  label: nameOfPatient(patient),
  hint: hintOfPatient(patient),
  href: `/patients/${patient.id}`,
});

const appointmentHit = (appointment: AppointmentView, patient: string, zone: string): PaletteHit => ({
  id: appointment.id,
  group: 'Appointments',
  label: appointmentTime(appointment.from_date, zone, appointment.time_zone),
  hint: `${appointment.appointment_type}, ${patient}`,
  href: `/appointments/${appointment.id}`,
  icon: CalendarClock,
});

const subscriptionHit = (subscription: SubscriptionView, patient: string): PaletteHit => ({
  id: subscription.id,
  group: 'Subscriptions',
  label: subscription.name ?? 'Plan',
  hint: `${statusLabel('subscription', shownStatus(subscription))}, ${patient}`,
  href: `/patients/${subscription.patient_id}`,
  icon: CreditCard,
});
