'use client';
import { useQuery } from '@tanstack/react-query';
import {
  Archive,
  ArchiveRestore,
  CalendarPlus,
  CreditCard,
  Eye,
  FileDown,
  MoreHorizontal,
  Pencil,
  UserRoundX,
} from 'lucide-react';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { PatientView } from '#contract/patients.ts';
import { Button } from '#web/ui/button.tsx';
import { DropdownMenu } from '#web/ui/dropdown-menu.tsx';
import { NotShown } from '#web/ui/not-shown.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { PageSkeleton } from '#web/ui/page-skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { CareNotice } from '../care/care-notice.tsx';
import { useMe } from '../me.tsx';
import { MessageChoicesCard } from '../message-choices/message-choices-card.tsx';
import { SignInCard } from '../patient-sign-in/sign-in-card.tsx';
import { nameOfPatient } from '../patients/name-of-patient.ts';
import { PatientDetails } from '../patients/patient-details.tsx';
import { PatientStatus } from '../patients/patient-status.tsx';
import { patientOption } from '../patients/use-patient-search.ts';
import { PatientStory } from '../story/patient-story.tsx';
import { PaymentsTable } from '../subscriptions/payments-table.tsx';
import { PATIENT_SUBSCRIPTION_COLUMNS } from '../subscriptions/subscription-columns.tsx';
import { SubscriptionsTable } from '../subscriptions/subscriptions-table.tsx';
import { LinksSent } from './links-sent.tsx';
import { PatientBilling } from './patient-billing.tsx';
import { PatientVisits } from './patient-visits.tsx';
import { ShownTogether } from './shown-together.tsx';

const PatientDialog = dynamic(() => import('../patients/patient-dialog.tsx').then((module) => module.PatientDialog), {
  ssr: false,
});

const ChartReadersSheet = dynamic(
  () => import('../audit/chart-readers-sheet.tsx').then((module) => module.ChartReadersSheet),
  { ssr: false },
);

const ArchiveDialog = dynamic(() => import('../care/archive-dialog.tsx').then((module) => module.ArchiveDialog), {
  ssr: false,
});

const UnarchivePatient = dynamic(
  () => import('../care/unarchive-patient.tsx').then((module) => module.UnarchivePatient),
  { ssr: false },
);

const SubscribeDialog = dynamic(
  () => import('../subscriptions/subscribe-dialog.tsx').then((module) => module.SubscribeDialog),
  { ssr: false },
);

const BookDialog = dynamic(() => import('../appointments/book-dialog.tsx').then((module) => module.BookDialog), {
  ssr: false,
});

const BACK = { href: '/patients', label: 'Patients' };

export function PatientPage({ id }: { id: string }) {
  const trpc = useTRPC();
  const patient = useQuery(trpc.patients.get.queryOptions({ id }));
  if (patient.error)
    return (
      <NotShown
        error={patient.error}
        what="patient"
        icon={UserRoundX}
        back={BACK}
        hint="Look for the patient by name, email or phone number."
        onRetry={() => void patient.refetch()}
      />
    );
  return patient.data ? <Loaded patient={patient.data} /> : <PageSkeleton />;
}

function Loaded({ patient }: { patient: PatientView }) {
  const [open, setOpen] = useState<'edit' | 'book' | 'subscribe' | 'archive' | 'unarchive' | 'readers' | null>(null);
  const router = useRouter();
  const isAdmin = useMe().user.role === 'admin';
  const dialog = { open: true, onOpenChange: (next: boolean) => !next && setOpen(null) };
  const option = patientOption(patient);
  const archived = patient.status === 'archived';
  const inCare = !archived && !patient.care_ending_at;
  return (
    <>
      <title>{`${option.label} · Carelane`}</title>
      <PageHeader
        back={BACK}
        title={nameOfPatient(patient)}
        meta={<PatientStatus patient={patient} />}
        actions={
          inCare ? (
            <>
              <Button variant="primary" onClick={() => setOpen('book')}>
                <CalendarPlus aria-hidden />
                Book visit
              </Button>
              <Button onClick={() => setOpen('subscribe')}>
                <CreditCard aria-hidden />
                New subscription
              </Button>
              <DropdownMenu
                label="More actions"
                trigger={
                  <Button aria-label="More actions">
                    <MoreHorizontal aria-hidden />
                  </Button>
                }
                entries={[
                  { kind: 'action', label: 'Edit details', icon: Pencil, onSelect: () => setOpen('edit') },
                  ...(isAdmin
                    ? [
                        {
                          kind: 'action' as const,
                          label: 'Who has seen this chart',
                          icon: Eye,
                          onSelect: () => setOpen('readers'),
                        },
                        {
                          kind: 'action' as const,
                          label: 'All that is kept',
                          icon: FileDown,
                          onSelect: () => router.push(`/patients/${patient.id}/export`),
                        },
                      ]
                    : []),
                  {
                    kind: 'action',
                    label: 'Archive patient',
                    icon: Archive,
                    danger: true,
                    onSelect: () => setOpen('archive'),
                  },
                ]}
              />
            </>
          ) : (
            <>
              {archived && (
                <Button onClick={() => setOpen('unarchive')}>
                  <ArchiveRestore aria-hidden />
                  Unarchive
                </Button>
              )}
              {isAdmin && (
                <>
                  <Button onClick={() => setOpen('readers')}>
                    <Eye aria-hidden />
                    Who has seen this chart
                  </Button>
                  <Button asChild className="print:hidden">
                    <Link href={`/patients/${patient.id}/export`}>
                      <FileDown aria-hidden />
                      All that is kept
                    </Link>
                  </Button>
                </>
              )}
            </>
          )
        }
      />
      {patient.care_ending_at && <CareNotice patient={patient} />}
      <ShownTogether>
        <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem] print:grid-cols-1!">
          <div className="grid min-w-0 gap-6">
            <PatientVisits patientId={patient.id} name={option.label} />
            <section className="grid gap-2">
              <h2 className="font-semibold">Subscriptions</h2>
              <SubscriptionsTable
                label={`Subscriptions of ${option.label}`}
                columns={PATIENT_SUBSCRIPTION_COLUMNS}
                filter={{ patient_id: patient.id }}
                empty={{ title: 'No subscription', description: 'Start one, then send the patient the link to pay.' }}
              />
            </section>
            <section className="grid gap-2">
              <h2 className="font-semibold">Payments</h2>
              <PaymentsTable label={`Payments of ${option.label}`} filter={{ patient_id: patient.id }} />
            </section>
            <LinksSent patientId={patient.id} />
            <PatientStory patientId={patient.id} name={option.label} />
          </div>
          <div className="grid min-w-0 items-start gap-5 md:max-xl:grid-cols-2">
            <PatientDetails patient={patient} {...(!archived && { onEdit: () => setOpen('edit') })} />
            <PatientBilling patientId={patient.id} />
            <SignInCard patient={patient} />
            <MessageChoicesCard patientId={patient.id} isOpen={!archived} />
          </div>
        </div>
      </ShownTogether>
      {open === 'edit' && <PatientDialog {...dialog} patient={patient} />}
      {open === 'book' && <BookDialog {...dialog} patient={option} />}
      {open === 'subscribe' && <SubscribeDialog {...dialog} patient={option} />}
      {open === 'readers' && (
        <ChartReadersSheet patientId={patient.id} name={option.label} onClose={() => setOpen(null)} />
      )}
      {open === 'archive' && <ArchiveDialog patient={patient} onClose={() => setOpen(null)} />}
      {open === 'unarchive' && <UnarchivePatient patient={patient} onClose={() => setOpen(null)} />}
    </>
  );
}
