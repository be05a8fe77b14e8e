'use client';
import { type Query, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  Archive,
  ArchiveRestore,
  CalendarPlus,
  CreditCard,
  Eye,
  FileDown,
  ListPlus,
  Merge,
  MoreHorizontal,
  Pencil,
  UserRoundX,
} from 'lucide-react';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useState } from 'react';
import type { PatientView } from '#contract/patients.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { RecordError } from '#web/ui/record-error.tsx';
import { DataTableSkeleton, PageSkeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { PATIENT_APPOINTMENT_COLUMNS } from '../appointments/appointment-columns.tsx';
import { AppointmentsTable } from '../appointments/appointments-table.tsx';
import { useMay } from '../me.tsx';
import { MessageChoicesCard } from '../message-choices/message-choices-card.tsx';
import { NotesSection } from '../notes/notes-section.tsx';
import { SignInCard } from '../patient-sign-in/sign-in-card.tsx';
import { nameOfPatient } from '../patients/patient.ts';
import { PatientDetails } from '../patients/patient-details.tsx';
import { PatientIdentity, PatientStatus } from '../patients/patient-labels.tsx';
import { patientOption } from '../patients/use-patient-search.ts';
import { ActionMenu } from '../shell/action-menu.tsx';
import { PaymentsTable } from '../subscriptions/payments-table.tsx';
import { PATIENT_SUBSCRIPTION_COLUMNS } from '../subscriptions/subscription-columns.tsx';
import { SubscriptionsTable } from '../subscriptions/subscriptions-table.tsx';
import { PatientTasks } from '../tasks/patient-tasks.tsx';
import { NewTaskDialog } from '../tasks/task-dialogs.tsx';
import { PatientTimeline } from '../timeline/patient-timeline.tsx';
import { LinksSent } from './links-sent.tsx';
import { PatientBilling } from './patient-billing.tsx';

/** Longest wait: a request without a response must not hold back the rest. */
const MAX_WAIT_MS = 4_000;

const isAwaited = ({ state, meta }: Query) =>
  state.status === 'pending' && state.fetchStatus === 'fetching' && !meta?.isFromProvider;

/**
 * Sections of a page with their own queries. They are laid out hidden, and shown once all of them have loaded, so that
 * none shifts another.
 */
function ShownTogether({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const cache = queries.getQueryCache();
    const measure = () => cache.findAll().some(isAwaited) || setReady(true);
    // The sections' own effects have run before this one, so their queries are pending already.
    measure();
    const unsubscribe = cache.subscribe(() => queueMicrotask(measure));
    const timeout = setTimeout(() => setReady(true), MAX_WAIT_MS);
    return () => {
      unsubscribe();
      clearTimeout(timeout);
    };
  }, [queries]);
  return (
    <div className="relative min-h-80">
      {!isReady && (
        <Card className="absolute inset-x-0 top-0 overflow-hidden">
          <DataTableSkeleton columns={4} />
        </Card>
      )}
      <div className={isReady ? undefined : 'invisible'}>{children}</div>
    </div>
  );
}

const PatientDialog = lazyComponent(() =>
  import('../patients/patient-dialog.tsx').then((module) => module.PatientDialog),
);

const ChartReadersSheet = lazyComponent(() =>
  import('../audit/chart-readers-sheet.tsx').then((module) => module.ChartReadersSheet),
);

// On demand: few records were merged, and the care of few patients is ending.
const RecordNotice = dynamic(() => import('../care/record-notice.tsx').then((module) => module.RecordNotice));

const ArchiveDialog = lazyComponent(() => import('../care/archive-dialog.tsx').then((module) => module.ArchiveDialog));

const UnarchivePatient = lazyComponent(() =>
  import('../care/unarchive-patient.tsx').then((module) => module.UnarchivePatient),
);

const SubscribeDialog = lazyComponent(() =>
  import('../subscriptions/subscribe-dialog.tsx').then((module) => module.SubscribeDialog),
);

const BookDialog = lazyComponent(() => import('../appointments/book-dialog.tsx').then((module) => module.BookDialog));

const BACK_LINK = { href: '/patients', label: 'Patients' };

export function PatientPage({ id }: { id: string }) {
  const trpc = useTRPC();
  const patient = useQuery(trpc.patients.get.queryOptions({ id }));
  if (patient.error)
    return (
      <RecordError
        error={patient.error}
        what="patient"
        icon={UserRoundX}
        back={BACK_LINK}
        hint="Look for the patient by name, email or phone number."
        onRetry={() => void patient.refetch()}
      />
    );
  return patient.data ? <Loaded patient={patient.data} /> : <PageSkeleton title="Patient" />;
}

function Loaded({ patient }: { patient: PatientView }) {
  const [open, setOpen] = useState<'edit' | 'book' | 'subscribe' | 'archive' | 'unarchive' | 'readers' | 'task' | null>(
    null,
  );
  const router = useRouter();
  const mayBook = useMay('appointments:write');
  const maySubscribe = useMay('subscriptions:write');
  const mayWrite = useMay('patients:write');
  const maySeeReaders = useMay('audit:read');
  const mayExport = useMay('charts:export');
  const mayReadHistory = useMay('charts:read');
  const dialog = { open: true, onOpenChange: (next: boolean) => !next && setOpen(null) };
  const option = patientOption(patient);
  const archived = patient.status === 'archived';
  const inCare = !archived && !patient.care_ending_at;
  return (
    <>
      <title>{`${option.label} · Carelane`}</title>
      <PageHeader
        back={BACK_LINK}
        title={nameOfPatient(patient)}
        meta={<PatientStatus patient={patient} />}
        description={<PatientIdentity patient={patient} />}
        actions={
          inCare ? (
            <>
              {mayBook && (
                <Button variant="primary" onClick={() => setOpen('book')}>
                  <CalendarPlus aria-hidden />
                  Book appointment
                </Button>
              )}
              {/* Together, so that on a narrow screen the menu is not alone in a line. */}
              <div className="flex gap-2">
                {maySubscribe && (
                  <Button onClick={() => setOpen('subscribe')}>
                    <CreditCard aria-hidden />
                    New subscription
                  </Button>
                )}
                <ActionMenu
                  label="More actions"
                  trigger={
                    <Button aria-label="More actions">
                      <MoreHorizontal aria-hidden />
                    </Button>
                  }
                  entries={[
                    {
                      kind: 'action',
                      needs: 'patients:write',
                      label: 'Edit details',
                      icon: Pencil,
                      onSelect: () => setOpen('edit'),
                    },
                    {
                      kind: 'action',
                      needs: 'tasks:write',
                      label: 'New task',
                      icon: ListPlus,
                      onSelect: () => setOpen('task'),
                    },
                    {
                      kind: 'action',
                      needs: 'audit:read',
                      label: 'Who has seen this chart',
                      icon: Eye,
                      onSelect: () => setOpen('readers'),
                    },
                    {
                      kind: 'action',
                      needs: 'charts:export',
                      label: 'Everything on record',
                      icon: FileDown,
                      onSelect: () => router.push(`/patients/${patient.id}/export`),
                    },
                    {
                      kind: 'action',
                      needs: 'patients:merge',
                      label: 'Merge with another record',
                      icon: Merge,
                      onSelect: () => router.push(`/patients/${patient.id}/merge`),
                    },
                    {
                      kind: 'action',
                      needs: 'patients:write',
                      label: 'Archive patient',
                      icon: Archive,
                      danger: true,
                      onSelect: () => setOpen('archive'),
                    },
                  ]}
                />
              </div>
            </>
          ) : (
            <>
              {archived && mayWrite && !patient.merged_into && (
                <Button onClick={() => setOpen('unarchive')}>
                  <ArchiveRestore aria-hidden />
                  Unarchive
                </Button>
              )}
              {maySeeReaders && (
                <Button onClick={() => setOpen('readers')}>
                  <Eye aria-hidden />
                  Who has seen this chart
                </Button>
              )}
              {mayExport && (
                <Button asChild className="print:hidden">
                  <Link href={`/patients/${patient.id}/export`}>
                    <FileDown aria-hidden />
                    Everything on record
                  </Link>
                </Button>
              )}
            </>
          )
        }
      />
      {(patient.care_ending_at || patient.merged_into) && <RecordNotice patient={patient} />}
      <ShownTogether>
        <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem] print:grid-cols-1!">
          <div className="grid min-w-0 gap-6">
            <PatientTasks
              patientId={patient.id}
              name={option.label}
              {...(inCare && { onNew: () => setOpen('task') })}
            />
            <NotesSection patientId={patient.id} isMerged={patient.merged_into !== null} />
            <PatientAppointments patientId={patient.id} name={option.label} inCare={inCare} />
            <section className="grid gap-2">
              <h2 className="font-semibold">Subscriptions</h2>
              <SubscriptionsTable
                label={`Subscriptions of ${option.label}`}
                columns={PATIENT_SUBSCRIPTION_COLUMNS}
                filter={{ patient_id: patient.id }}
                empty={{
                  title: 'No subscription',
                  ...(inCare && {
                    description: maySubscribe
                      ? 'Start one, then send the patient the link to pay.'
                      : 'What the patient subscribes to shows here.',
                  }),
                }}
              />
            </section>
            <section className="grid gap-2">
              <h2 className="font-semibold">Payments</h2>
              <PaymentsTable label={`Payments of ${option.label}`} filter={{ patient_id: patient.id }} />
            </section>
            <LinksSent patientId={patient.id} />
            {mayReadHistory && <PatientTimeline patientId={patient.id} name={option.label} />}
          </div>
          <div className="grid min-w-0 items-start gap-5 md:max-xl:grid-cols-2">
            <PatientDetails patient={patient} {...(mayWrite && !archived && { onEdit: () => setOpen('edit') })} />
            <PatientBilling patientId={patient.id} />
            <SignInCard patient={patient} />
            <MessageChoicesCard patientId={patient.id} inCare={inCare} />
          </div>
        </div>
      </ShownTogether>
      {open === 'edit' && <PatientDialog {...dialog} patient={patient} />}
      {open === 'book' && <BookDialog {...dialog} patient={option} />}
      {open === 'subscribe' && <SubscribeDialog {...dialog} patient={option} />}
      {open === 'task' && (
        <NewTaskDialog start={{ patient: { id: patient.id, name: option.label } }} onClose={() => setOpen(null)} />
      )}
      {open === 'readers' && (
        <ChartReadersSheet patientId={patient.id} name={option.label} onClose={() => setOpen(null)} />
      )}
      {open === 'archive' && <ArchiveDialog patient={patient} onClose={() => setOpen(null)} />}
      {open === 'unarchive' && <UnarchivePatient patient={patient} onClose={() => setOpen(null)} />}
    </>
  );
}

type PatientAppointmentsProps = { patientId: string; name: string; inCare: boolean };

/** Every appointment of a patient: upcoming ones soonest first, then past and canceled ones. */
function PatientAppointments({ patientId, name, inCare }: PatientAppointmentsProps) {
  return (
    <>
      <section className="grid gap-2">
        <h2 className="font-semibold">Upcoming appointments</h2>
        <AppointmentsTable
          label={`Appointments of ${name}`}
          columns={PATIENT_APPOINTMENT_COLUMNS}
          filter={{ patient_id: patientId, period: 'upcoming', sort_by: 'from_date' }}
          empty={{
            title: 'No appointments booked',
            ...(inCare && { description: 'Booked appointments show here with their video link.' }),
          }}
        />
      </section>
      <section className="grid gap-2">
        <h2 className="font-semibold">Past and canceled appointments</h2>
        <AppointmentsTable
          label={`Past and canceled, ${name}`}
          columns={PATIENT_APPOINTMENT_COLUMNS}
          filter={{ patient_id: patientId, period: 'past_or_canceled' }}
          empty={{ title: 'Nothing past yet', description: 'Appointments that are over or were canceled stay here.' }}
        />
      </section>
    </>
  );
}
