'use client';
import {
  BookOpen,
  CalendarClock,
  CalendarPlus,
  CreditCard,
  ListPlus,
  LogOut,
  Monitor,
  Moon,
  ReceiptText,
  Send,
  Sun,
  UserPlus,
} from 'lucide-react';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { useTheme } from 'next-themes';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { PatientView } from '#contract/patients.ts';
import type { AppointmentView } from '#contract/scheduling.ts';
import type { MeView } from '#contract/settings.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import type { PaletteAction, PaletteHit } from '#web/ui/command-palette.tsx';
import { appointmentTime } from '#web/ui/format-time.ts';
import { lazyComponent, lazyPart } from '#web/ui/lazy-component.ts';
import { LeaveProvider } from '#web/ui/leave-provider.tsx';
import { statusLabel } from '#web/ui/status-badge.tsx';
import { useGuardedNavigation } from '#web/ui/unsaved.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { ownerOf, ServerProvider, useTRPCClient } from '../../trpc-client.tsx';
import { useLiveChanges } from '../live/use-live-changes.ts';
import { MeProvider, useMe } from '../me.tsx';
import { NowProvider } from '../now.tsx';
import { bornLabel, nameOfPatient } from '../patients/patient.ts';
import { hintOfPatient } from '../patients/use-patient-search.ts';
import { type Needing, permitted } from '../permitted.ts';
import { PortalShell } from '../shell/portal-shell.tsx';
import { signOut } from '../sign-in/sign-out.ts';
import { shownStatus } from '../subscriptions/subscription.ts';
import { NewTaskDialog } from '../tasks/task-dialogs.tsx';

const MAX_PATIENTS = 6;
/** Number of found patients whose appointments and subscriptions are searched, and the maximum shown of each. */
const SEARCHED_PATIENTS = 3;
const MAX_PER_PATIENT = 4;

/** Palette search by name, date of birth, email or phone number: patients, their upcoming appointments, their subscriptions. */
function usePaletteSearch() {
  const client = useTRPCClient();
  const zone = useReaderZone();
  return useCallback(
    async (text: string, signal: AbortSignal): Promise<PaletteHit[]> => {
      const result = await client.patients.list.query({ size: MAX_PATIENTS, search: text }, { signal });
      const patients = result.items;
      const unarchivedPatients = patients
        .filter((patient) => patient.status !== 'archived')
        .slice(0, SEARCHED_PATIENTS);
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
    },
    [client, zone],
  );
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

const TwoStepGate = dynamic(() => import('../account/two-step-gate.tsx').then((module) => module.TwoStepGate));
const SessionWatch = lazyPart(() => import('../shell/session-watch.tsx').then((module) => module.SessionWatch));
const ConnectionBar = lazyPart(() => import('../shell/connection-bar.tsx').then((module) => module.ConnectionBar));
const PatientDialog = lazyComponent(() =>
  import('../patients/patient-dialog.tsx').then((module) => module.PatientDialog),
);
const BookDialog = lazyComponent(() => import('../appointments/book-dialog.tsx').then((module) => module.BookDialog));
const SubscribeDialog = lazyComponent(() =>
  import('../subscriptions/subscribe-dialog.tsx').then((module) => module.SubscribeDialog),
);

/** The portal's shell with its connection to the server and the command palette. */
export function PortalFrame({ me, renderedAt, children }: { me: MeView; renderedAt: number; children: ReactNode }) {
  return (
    <ServerProvider owner={ownerOf(me)}>
      <NowProvider renderedAt={renderedAt}>
        <MeProvider me={me}>
          <LeaveProvider>
            {me.two_step_due ? <TwoStepGate /> : <ConnectedShell>{children}</ConnectedShell>}
          </LeaveProvider>
          <SessionWatch />
        </MeProvider>
      </NowProvider>
    </ServerProvider>
  );
}

function ConnectedShell({ children }: { children: ReactNode }) {
  const router = useRouter();
  const [creating, setCreating] = useState<CreatedResource | null>(null);
  useLiveChanges();
  const go = useGuardedNavigation();
  const search = usePaletteSearch();
  // Replaces a dialog that is open already.
  const create = useCallback(
    (resource: CreatedResource) =>
      creating && creating !== resource ? go(() => setCreating(resource)) : setCreating(resource),
    [creating, go],
  );
  const actions = usePaletteActions(create);
  const dialog = { open: true, onOpenChange: (open: boolean) => !open && setCreating(null) };
  return (
    <PortalShell search={search} actions={actions}>
      <ConnectionBar />
      {children}
      {(creating === 'patient' || creating === 'invitation') && (
        <PatientDialog
          {...dialog}
          invite={creating === 'invitation'}
          onSaved={(patient) => router.push(`/patients/${patient.id}`)}
        />
      )}
      {creating === 'appointment' && <BookDialog {...dialog} />}
      {creating === 'subscription' && <SubscribeDialog {...dialog} />}
      {creating === 'task' && <NewTaskDialog onClose={() => setCreating(null)} />}
    </PortalShell>
  );
}

/** Resource that a dialog of the palette creates. */
type CreatedResource = 'patient' | 'invitation' | 'appointment' | 'subscription' | 'task';

/** Actions of the palette in addition to search and navigation. */
function usePaletteActions(create: (resource: CreatedResource) => void): PaletteAction[] {
  const { setTheme } = useTheme();
  const go = useGuardedNavigation();
  const router = useRouter();
  const { permissions, tenant } = useMe();
  const { invites_enabled } = tenant;
  return useMemo(() => {
    const actions: (PaletteAction & Needing)[] = [
      {
        label: 'New patient',
        icon: UserPlus,
        keywords: ['add', 'create'],
        isNew: true,
        needs: 'patients:write',
        run: () => create('patient'),
      },
      ...(invites_enabled
        ? [
            {
              label: 'Invite patient',
              icon: Send,
              keywords: ['new', 'create'],
              isNew: true as const,
              needs: 'patients:write' as const,
              run: () => create('invitation'),
            },
          ]
        : []),
      {
        label: 'Book appointment',
        icon: CalendarPlus,
        keywords: ['new', 'visit', 'create'],
        isNew: true,
        needs: 'appointments:write',
        run: () => create('appointment'),
      },
      {
        label: 'New subscription',
        icon: CreditCard,
        keywords: ['subscribe', 'plan', 'create'],
        isNew: true,
        needs: 'subscriptions:write',
        run: () => create('subscription'),
      },
      {
        label: 'New plan',
        icon: ReceiptText,
        keywords: ['price', 'create'],
        isNew: true,
        needs: 'plans:write',
        run: () => go(() => router.push('/plans?new=plan')),
      },
      {
        label: 'New task',
        icon: ListPlus,
        keywords: ['to do', 'reminder', 'follow up', 'create'],
        isNew: true,
        needs: 'tasks:write',
        run: () => create('task'),
      },
      { label: 'Light theme', icon: Sun, keywords: ['colours', 'colors'], run: () => setTheme('light') },
      { label: 'Dark theme', icon: Moon, keywords: ['colours', 'colors'], run: () => setTheme('dark') },
      { label: 'Theme of the system', icon: Monitor, keywords: ['colours', 'colors'], run: () => setTheme('system') },
      {
        label: 'API reference',
        icon: BookOpen,
        keywords: ['docs', 'documentation'],
        run: () => window.open('/docs', '_blank', 'noopener'),
      },
      {
        label: 'Sign out',
        icon: LogOut,
        keywords: ['leave', 'log out'],
        run: () => go(() => void signOut(), { offline: true }),
      },
    ];
    return permitted(actions, permissions);
  }, [create, go, router, setTheme, invites_enabled, permissions]);
}
