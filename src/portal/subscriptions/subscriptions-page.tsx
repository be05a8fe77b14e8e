'use client';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { AddButton } from '#portal/ui/add-button.tsx';
import type { ComboboxOption } from '#portal/ui/combobox.tsx';
import { FilterMenu } from '#portal/ui/filter-menu.tsx';
import { PageHeader } from '#portal/ui/page-header.tsx';
import { statusOptions } from '#portal/ui/status-badge.tsx';
import { PatientFilter } from '../patients/patient-filter.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { SUBSCRIPTION_COLUMNS } from './subscription-columns.tsx';
import { SubscriptionsTable } from './subscriptions-table.tsx';

const SubscribeDialog = dynamic(() => import('./subscribe-dialog.tsx').then((module) => module.SubscribeDialog), {
  ssr: false,
});

/** Canceled before the first payment and not paid in time are one state to Stripe, so they are looked for together. */
const STATUSES = statusOptions('subscription').map((option) =>
  option.value === 'incomplete_expired' ? { ...option, label: 'Ended before payment' } : option,
);

export function SubscriptionsPage() {
  const [patient, setPatient] = useState<ComboboxOption | null>(null);
  const [statusParam, setStatus] = useQueryParam('status');
  const [creating, setCreating] = useState(false);
  const statuses = STATUSES.map(({ value }) => value as SubscriptionView['status']).filter((value) =>
    statusParam.split(',').includes(value),
  );
  const create = <AddButton onClick={() => setCreating(true)}>New subscription</AddButton>;
  return (
    <>
      <PageHeader title="Subscriptions" description="Who pays for which plan" actions={create} />
      <SubscriptionsTable
        label="Subscriptions"
        columns={SUBSCRIPTION_COLUMNS}
        filter={{ ...(patient && { patient_id: patient.value }), ...(statuses.length > 0 && { status: statuses }) }}
        toolbar={
          <>
            <PatientFilter value={patient} onChange={setPatient} />
            <FilterMenu
              label="Status"
              any="Any status"
              options={STATUSES}
              values={statuses}
              onChange={(values) => setStatus(values.join(','))}
            />
          </>
        }
        empty={
          patient || statuses.length > 0
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
