'use client';
import { Plus } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { Button } from '#portal/ui/button.tsx';
import { Combobox, type ComboboxOption } from '#portal/ui/combobox.tsx';
import { FilterSelect } from '#portal/ui/filter-select.tsx';
import { PageHeader } from '#portal/ui/page-header.tsx';
import { statusOptions } from '#portal/ui/status-badge.tsx';
import { usePatientOptions } from '../patients/use-patient-search.ts';
import { useQueryParam } from '../use-query-param.ts';
import { SUBSCRIPTION_COLUMNS } from './subscription-columns.tsx';
import { SubscriptionsTable } from './subscriptions-table.tsx';

const SubscribeDialog = dynamic(() => import('./subscribe-dialog.tsx').then((module) => module.SubscribeDialog), {
  ssr: false,
});

const STATUSES = [{ value: 'all', label: 'Any status' }, ...statusOptions('subscription')];

export function SubscriptionsPage() {
  const searchPatients = usePatientOptions();
  const [patient, setPatient] = useState<ComboboxOption | null>(null);
  const [statusParam, setStatus] = useQueryParam('status');
  const [creating, setCreating] = useState(false);
  const status = statusOptions('subscription').find(({ value }) => value === statusParam)?.value as
    | SubscriptionView['status']
    | undefined;
  const create = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden />
      New subscription
    </Button>
  );
  return (
    <>
      <PageHeader title="Subscriptions" description="Who pays for which plan" actions={create} />
      <SubscriptionsTable
        label="Subscriptions"
        columns={SUBSCRIPTION_COLUMNS}
        filter={{ ...(patient && { patient_id: patient.value }), ...(status && { status }) }}
        toolbar={
          <>
            <Combobox
              aria-label="Search by patient"
              value={patient}
              onChange={setPatient}
              search={searchPatients}
              placeholder="Search by patient"
              className="w-full md:w-72"
            />
            <FilterSelect
              label="Status"
              options={STATUSES}
              value={status ?? 'all'}
              onChange={(value) => setStatus(value === 'all' ? '' : value)}
            />
          </>
        }
        empty={
          patient || status
            ? { title: 'No subscription matches', description: 'Try another status or no patient.' }
            : {
                title: 'No subscriptions yet',
                description: 'Start one and send the patient the link to pay.',
                action: create,
              }
        }
      />
      {creating && <SubscribeDialog open onOpenChange={setCreating} />}
    </>
  );
}
