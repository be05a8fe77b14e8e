'use client';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { AddButton } from '#portal/ui/add-button.tsx';
import type { ComboboxOption } from '#portal/ui/combobox.tsx';
import { FilterSelect } from '#portal/ui/filter-select.tsx';
import { PageHeader } from '#portal/ui/page-header.tsx';
import { statusOptions } from '#portal/ui/status-badge.tsx';
import { PatientFilter } from '../patients/patient-filter.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { SUBSCRIPTION_COLUMNS } from './subscription-columns.tsx';
import { SubscriptionsTable } from './subscriptions-table.tsx';

const SubscribeDialog = dynamic(() => import('./subscribe-dialog.tsx').then((module) => module.SubscribeDialog), {
  ssr: false,
});

const STATUSES = [{ value: 'all', label: 'Any status' }, ...statusOptions('subscription')];

export function SubscriptionsPage() {
  const [patient, setPatient] = useState<ComboboxOption | null>(null);
  const [statusParam, setStatus] = useQueryParam('status');
  const [creating, setCreating] = useState(false);
  const status = statusOptions('subscription').find(({ value }) => value === statusParam)?.value as
    | SubscriptionView['status']
    | undefined;
  const create = <AddButton onClick={() => setCreating(true)}>New subscription</AddButton>;
  return (
    <>
      <PageHeader title="Subscriptions" description="Who pays for which plan" actions={create} />
      <SubscriptionsTable
        label="Subscriptions"
        columns={SUBSCRIPTION_COLUMNS}
        filter={{ ...(patient && { patient_id: patient.value }), ...(status && { status }) }}
        toolbar={
          <>
            <PatientFilter value={patient} onChange={setPatient} />
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
