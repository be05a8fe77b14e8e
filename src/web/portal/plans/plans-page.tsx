'use client';
import { useQuery } from '@tanstack/react-query';
import { ReceiptText } from 'lucide-react';
import { readApiErrors } from '#web/ui/api-errors.ts';
import { AddButton, Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { Link } from '#web/ui/link.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { CodesTable } from './codes-table.tsx';
import { PlansTable } from './plans-table.tsx';

const NewPlanDialog = lazyComponent(() => import('./plan-dialogs.tsx').then((module) => module.NewPlanDialog));
const NewCodeDialog = lazyComponent(() => import('./code-dialog.tsx').then((module) => module.NewCodeDialog));

const VIEWS = [
  { value: 'plans', label: 'Plans' },
  { value: 'codes', label: 'Promotion codes' },
] as const;

/** A new clinic has no account for plans yet. */
function NotConnected() {
  const mayConnect = useMay('settings:manage');
  const maySubscribe = useMay('subscriptions:write');
  return (
    <EmptyState
      icon={ReceiptText}
      title="Connect payments first"
      description="Plans are kept at Stripe. Once it is connected, you make them here."
      action={
        mayConnect ? (
          <Button asChild variant="primary">
            <Link href="/settings/integrations">Connect payments</Link>
          </Button>
        ) : (
          maySubscribe && 'Ask an administrator of your clinic.'
        )
      }
    />
  );
}

export function PlansPage() {
  const trpc = useTRPC();
  const mayWrite = useMay('plans:write');
  const [view, setView] = useQueryParam('view');
  // In the URL, because the command palette opens it too.
  const [making, setMaking] = useQueryParam('new');
  const plans = useQuery(trpc.plans.listAll.queryOptions());
  // Not an error but a first step.
  const isBefore = plans.error !== null && readApiErrors(plans.error)[0].code === 'integration_not_connected';
  const isCodes = view === 'codes';
  // While the plans load, the dialog waits for them: the page does not move when they are there.
  const create = mayWrite && !plans.error && (
    <AddButton onClick={() => setMaking(isCodes ? 'code' : 'plan')}>{isCodes ? 'New code' : 'New plan'}</AddButton>
  );
  const list = {
    catalogue: plans.data,
    error: isBefore ? null : plans.error,
    onRetry: () => void plans.refetch(),
    notConnected: isBefore && <NotConnected />,
    create,
  };
  const close = () => setMaking('');
  return (
    <>
      <PageHeader
        title="Plans"
        description="What patients can subscribe to. Prices are kept at Stripe."
        actions={create}
      />
      <ViewTabs
        label="Plans or promotion codes"
        options={VIEWS}
        value={isCodes ? 'codes' : 'plans'}
        onChange={(value) => setView(value === 'codes' ? value : '')}
      />
      {isCodes ? <CodesTable {...list} /> : <PlansTable {...list} />}
      {mayWrite && making === 'plan' && plans.data && (
        <NewPlanDialog currencies={plans.data.currencies} onClose={close} />
      )}
      {mayWrite && making === 'code' && plans.data && <NewCodeDialog catalogue={plans.data} onClose={close} />}
    </>
  );
}
