'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ExternalLink, RefreshCw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { IntegrationProvider, IntegrationView, StripeSyncView } from '#contract/integrations.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { CopyField } from '#web/ui/copy-field.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { toast } from '#web/ui/toast.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { UnmatchedLink } from '../unmatched/unmatched-notice.tsx';
import { useQueryParam } from '../use-query-param.ts';
import type { Disconnected } from './disconnect-dialog.tsx';
import { Findings } from './findings.tsx';
import { accountDetails, boundLabel, repairLabel } from './integration-labels.ts';

const PROVIDERS: Record<IntegrationProvider, { name: string; purpose: string }> = {
  stripe: { name: 'Stripe', purpose: 'Takes payments: plans, subscriptions and cards.' },
  acuity: {
    name: 'Acuity Scheduling',
    purpose: 'Knows when your team is free: appointment types, calendars and times.',
  },
};

const COMPARISON_LABELS = { stripe: 'All subscriptions compared', acuity: 'All appointments compared' };

/** Synchronization with the provider: events received, comparisons made, and repairs. */
function ProviderSync({ provider, sync }: { provider: IntegrationProvider; sync: StripeSyncView }) {
  const { name } = PROVIDERS[provider];
  return (
    <section aria-label={`Keeping up with ${name}`} className="grid gap-3 border-t border-line pt-4">
      <div>
        <h3 className="font-medium">Keeping up with {name}</h3>
        <p className="text-[13px] text-muted">
          {name} reports changes as they happen. What it could not report is found within {boundLabel(sync)}.
        </p>
      </div>
      <dl className="grid gap-2">
        <Row term="Last change received">
          <DateTime value={sync.last_webhook_at} />
        </Row>
        <Row term="Last checked for changes">
          <DateTime value={sync.last_reconcile_at} />
        </Row>
        <Row term={COMPARISON_LABELS[provider]}>
          <DateTime value={sync.compared_at} />
        </Row>
        <Row term="Corrected">{sync.repaired}</Row>
        {sync.unmatched ? (
          <Row term="Of people who are not patients here">
            <UnmatchedLink count={sync.unmatched} />
          </Row>
        ) : null}
      </dl>
      {!sync.answered && (
        <p className="text-[13px]">{name} did not answer the last time. Carelane asks again by itself.</p>
      )}
      {sync.repairs.length > 0 && (
        <details>
          <summary className="cursor-pointer text-[13px]">Latest corrections</summary>
          <ul className="mt-2 grid gap-2 text-[13px]">
            {sync.repairs.map((repair) => (
              <li key={repair.id} className="grid gap-x-4 sm:grid-cols-[1fr_auto]">
                <span>{repairLabel(repair, provider)}</span>
                <span className="text-muted">
                  <DateTime value={repair.created_at} />
                </span>
                <span className="text-muted wrap-anywhere sm:col-span-2">{repair.object_id}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Row({ term, children }: { term: string; children: React.ReactNode }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-muted">{term}</dt>
      <dd className="text-right">{children}</dd>
    </div>
  );
}

type Prerequisite = { title: string; hint: string };

/** Requirements at a provider before it can be connected or used. */
const PREREQUISITES: Record<IntegrationProvider, Prerequisite[]> = {
  acuity: [
    {
      title: 'A plan with API access, fit for health data',
      hint: 'In Acuity, under Settings, Plan. Sign Acuity’s agreement about health data there too.',
    },
    { title: 'The User ID and the API key', hint: 'In Acuity, under Integrations, API: copy both.' },
    {
      title: 'An active appointment type for everything that patients can book',
      hint: 'In Acuity, under Appointment Types: a service with a name and a duration.',
    },
    {
      title: 'A calendar for each practitioner, with its time zone',
      hint: 'In Acuity, under Availability. Tick the calendar in each appointment type that is offered on it.',
    },
    {
      title: 'Each calendar’s notification email',
      hint: 'In Acuity, under Availability: the email with which its practitioner signs in here, one for each calendar.',
    },
    {
      title: 'An internal form named exactly Location, with one text question named exactly Location',
      hint: 'In Acuity, under Intake Form Questions. Make it internal and tick every appointment type.',
    },
    {
      title: 'No question that a client must answer',
      hint: 'In Acuity, under Intake Form Questions: make the questions of other forms optional.',
    },
  ],
  stripe: [
    {
      title: 'The details of your clinic and a bank account',
      hint: 'Connect makes the account and leads to Stripe’s own pages, which ask for them.',
    },
    {
      title: 'A name and a price for each plan',
      hint: 'Make plans under Plans, once the account is there.',
    },
    {
      title: 'Stripe’s webhook for connected accounts',
      hint: 'The operator of this service sets it up once: the guide “Going live” says how.',
    },
  ],
};

/** Shown before a provider is connected. */
function Prerequisites({ provider }: { provider: IntegrationProvider }) {
  return (
    <div className="grid gap-1.5">
      <h3 className="font-medium">What you need</h3>
      <ol className="grid list-decimal gap-1.5 pl-5 text-[13px]">
        {PREREQUISITES[provider].map(({ title, hint }) => (
          <li key={title}>
            {title}. <span className="text-muted">{hint}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

const ConnectAcuityDialog = lazyComponent(() =>
  import('./connect-acuity-dialog.tsx').then((module) => module.ConnectAcuityDialog),
);

function ConnectAcuity({ connected }: { connected: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant={connected ? 'secondary' : 'primary'} onClick={() => setOpen(true)}>
        {connected ? 'Change the connection' : 'Connect'}
      </Button>
      {open && <ConnectAcuityDialog onClose={() => setOpen(false)} />}
    </>
  );
}

export function IntegrationCard({ integration }: { integration: IntegrationView }) {
  const { name, purpose } = PROVIDERS[integration.provider];
  const connected = integration.status !== 'disconnected';
  const isStripe = integration.provider === 'stripe';
  return (
    <Card aria-label={name}>
      <CardHeader
        title={name}
        description={purpose}
        actions={<StatusBadge kind="integration" status={integration.status} />}
      />
      <CardBody className="grid gap-4">
        {integration.findings.length > 0 && (
          <Findings findings={integration.findings} repairable={connected && integration.sandbox_url !== undefined} />
        )}
        {connected && integration.requirements.length > 0 && <Requirements requirements={integration.requirements} />}
        <dl className="grid gap-2">
          {integration.account_id && !isStripe && <Detail term="Account" value={integration.account_id} />}
          {accountDetails(integration.details).map(({ term, value }) => (
            <Detail key={term} term={term} value={value} />
          ))}
          <div className="flex justify-between gap-4">
            <dt className="text-muted">Last checked</dt>
            <dd>
              <DateTime value={integration.checked_at} />
            </dd>
          </div>
        </dl>
        {isStripe && connected && <StripeKeys integration={integration} />}
        {isStripe && !connected && (
          <p className="text-[13px] text-muted">
            {integration.account_id
              ? `The account ${integration.account_id} was disconnected. Connecting makes a new one; the data of the former one stays.`
              : 'Connecting makes an account for your clinic at Stripe, and leads you to its pages to give the details. An account that you have already cannot be used.'}
          </p>
        )}
        {!isStripe && !connected && (
          <p className="text-[13px] text-muted">
            {integration.account_id
              ? `The account ${integration.account_id} was disconnected. Scheduling is not connected: no times are offered, and appointments can be read only. Connecting it again continues where it stopped.`
              : 'Connecting needs an Acuity account of your own, with a plan that includes its API.'}
          </p>
        )}
        {!connected && <Prerequisites provider={integration.provider} />}
        {connected && integration.sync && <ProviderSync provider={integration.provider} sync={integration.sync} />}
        <div className="flex flex-wrap gap-2">
          {isStripe ? (
            <ConnectStripe connected={connected} ready={integration.details.details_submitted === true} />
          ) : (
            <ConnectAcuity connected={connected} />
          )}
          {connected && <CheckNow provider={integration.provider} />}
          {connected && integration.account_id && (
            <Disconnect provider={integration.provider} accountId={integration.account_id} />
          )}
          {integration.sandbox_url && <SandboxPage integration={integration} />}
        </div>
      </CardBody>
    </Card>
  );
}

/** Links to the stand-in's own console, where the provider's actions are performed. */
function SandboxPage({ integration }: { integration: IntegrationView }) {
  const { account_id: account, sandbox_url: url } = integration;
  return (
    <Button asChild variant="link">
      <a href={account ? `${url}/console/${account}` : url} target="_blank" rel="noreferrer">
        The sandbox’s Acuity
        <ExternalLink aria-hidden />
      </a>
    </Button>
  );
}

function Detail({ term, value }: { term: string; value: string }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-muted">{term}</dt>
      <dd className="text-right wrap-anywhere">{value}</dd>
    </div>
  );
}

function Requirements({ requirements }: { requirements: string[] }) {
  return (
    <section aria-label="Still required" className="grid gap-1.5">
      <h3 className="font-medium">Still required</h3>
      <ul className="grid list-disc gap-1 pl-5 text-[13px]">
        {requirements.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

/** Keys with which the clinic's app opens Stripe's own forms. */
function StripeKeys({ integration }: { integration: IntegrationView }) {
  return (
    <div className="grid gap-3">
      {integration.account_id && <CopyField label="Account id" value={integration.account_id} />}
      {integration.publishable_key && <CopyField label="Publishable key" value={integration.publishable_key} />}
    </div>
  );
}

const loadQuestion = () => import('./disconnect-dialog.tsx').then((module) => module.DisconnectDialog);

function Disconnect(account: Disconnected) {
  const [isConfirming, setConfirming] = useState(false);
  const Question = useLazyComponent(loadQuestion, isConfirming, () => {
    setConfirming(false);
    toast.error('This could not be loaded. Try again.');
  });
  return (
    <>
      <Button variant="ghost" onClick={() => setConfirming(true)}>
        Disconnect
      </Button>
      {isConfirming && Question && <Question {...account} onClose={() => setConfirming(false)} />}
    </>
  );
}

/** Checks the provider's status immediately. */
function CheckNow({ provider }: { provider: IntegrationProvider }) {
  const trpc = useTRPC();
  const refresh = useInvalidate('integrations');
  const check = useMutation(
    trpc.integrations.check.mutationOptions({
      onSuccess: () => toast.success(`${PROVIDERS[provider].name} was checked and is being compared`),
      onError: (error) => toast.error(firstErrorMessage(error)),
      onSettled: refresh,
    }),
  );
  return (
    <Button pending={check.isPending} onClick={() => check.mutate({ provider })}>
      {!check.isPending && <RefreshCw aria-hidden />}
      Check now
    </Button>
  );
}

type ConnectStripeProps = {
  connected: boolean;
  /** The account holder has submitted all details. */
  ready: boolean;
};

/** Creates the clinic's Stripe account if there is none, then leads to Stripe's onboarding page. */
function ConnectStripe({ connected, ready }: ConnectStripeProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const connect = useMutation({
    mutationFn: async () => {
      if (!connected) await client.integrations.connectStripe.mutate({});
      return client.integrations.stripeOnboarding.mutate({});
    },
    onSuccess: ({ url }) => window.location.assign(url),
    onSettled: () => queries.invalidateQueries(trpc.integrations.pathFilter()),
  });
  const { mutate: refreshStatus } = useMutation({
    mutationFn: () => client.integrations.check.mutate({ provider: 'stripe' }),
    onSettled: () => queries.invalidateQueries(trpc.integrations.pathFilter()),
  });

  // Stripe redirects back here from an expired link, which needs a new one, or when the user has finished.
  const [returnReason, setReturnReason] = useQueryParam('stripe');
  const isHandled = useRef(false);
  useEffect(() => {
    if (!returnReason || !connected || isHandled.current) return;
    isHandled.current = true;
    // Clears the parameter, so that going back in the browser does not redirect again.
    setReturnReason('');
    if (returnReason === 'expired') connect.mutate();
    if (returnReason === 'returned') refreshStatus();
  }, [returnReason, connected, connect, refreshStatus, setReturnReason]);

  const label = connected ? (ready ? 'Account details at Stripe' : 'Go on at Stripe') : 'Connect';
  return (
    <>
      {connect.error && <FormError>{firstErrorMessage(connect.error)}</FormError>}
      <Button
        variant={connected && ready ? 'secondary' : 'primary'}
        pending={connect.isPending || connect.isSuccess}
        onClick={() => connect.mutate()}
      >
        {label}
        <ExternalLink aria-hidden />
      </Button>
    </>
  );
}
