'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleCheck, RefreshCw, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { BillingSettings as Settings, UnknownSubscriptionView } from '#contract/integrations.ts';
import type { VideoCheckView } from '#contract/system.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Form, FormField, FormRootError, useApiForm } from '#web/ui/form.tsx';
import { Input } from '#web/ui/input.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import { DataTableSkeleton } from '#web/ui/skeleton.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { toast } from '#web/ui/toast.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { type TriedRelay, tryRelay } from '../../ui/visit-call/network-path.ts';
import { Findings } from './findings.tsx';
import { IntegrationCard } from './integration-card.tsx';
import { relayFindings } from './integration-labels.ts';

const TRIAL_ENDS = [
  { value: 'cancel', label: 'The subscription ends' },
  { value: 'pause', label: 'It pauses until there is a card' },
  { value: 'past_due', label: 'A bill is made, and it is past due' },
];
const PRORATIONS = [
  { value: 'next_invoice', label: 'With the next bill' },
  { value: 'now', label: 'At once' },
  { value: 'none', label: 'Not at all' },
];

const toBillingValues = (settings: Settings) => ({ ...settings, grace_days: String(settings.grace_days) });

/** The clinic's rules for its subscriptions. */
function BillingSettings({ settings }: { settings: Settings }) {
  return (
    <Card aria-label="Rules for subscriptions">
      <CardHeader title="Rules for subscriptions" description="They hold on patients’ pages and in your apps alike." />
      <CardBody>
        <BillingSettingsForm settings={settings} />
      </CardBody>
    </Card>
  );
}

function BillingSettingsForm({ settings }: { settings: Settings }) {
  const client = useTRPCClient();
  const refresh = useInvalidate('integrations');
  const form = useApiForm({
    schema: async () => (await import('./billing-values.ts')).BillingValues,
    defaultValues: toBillingValues(settings),
    save: async (values) => {
      const { settings: updated } = await client.integrations.updateStripe.mutate(values);
      if (updated) form.reset(toBillingValues(updated));
      toast.success('Rules saved');
      await refresh();
    },
  });
  return (
    <Form form={form} className="grid gap-5">
      <FormRootError />
      <div className="grid items-start gap-4 md:grid-cols-2 xl:grid-cols-3">
        <FormField name="trial_end" label="When a trial ends without a card" hint="For trials that begin from now on.">
          {({ value, onChange, name }) => (
            <PlainSelect options={TRIAL_ENDS} value={value} onValueChange={onChange} name={name} />
          )}
        </FormField>
        <FormField
          name="grace_days"
          label="Days of grace"
          hint="How long a patient keeps what was bought while a bill is unpaid."
        >
          {(field) => <Input {...field} inputMode="numeric" autoComplete="off" />}
        </FormField>
        <FormField
          name="proration"
          label="A change of plan is billed"
          hint="Unless the person who changes it chooses otherwise."
        >
          {({ value, onChange, name }) => (
            <PlainSelect options={PRORATIONS} value={value} onValueChange={onChange} name={name} />
          )}
        </FormField>
      </div>
      <div className="grid gap-4">
        <FormField name="trial_once" label="One trial" hideLabel>
          {({ value, onChange }) => (
            <Checkbox
              label="One free trial of a plan for each patient"
              hint="A patient who subscribes again to a plan that they have tried pays from the first day."
              checked={value === true}
              onCheckedChange={onChange}
            />
          )}
        </FormField>
        <FormField name="patients_may_cancel" label="Cancel" hideLabel>
          {({ value, onChange }) => (
            <Checkbox
              label="Patients may cancel by themselves"
              hint="Otherwise they are asked to get in touch with you."
              checked={value === true}
              onCheckedChange={onChange}
            />
          )}
        </FormField>
        <FormField name="patients_may_change_plan" label="Change plan" hideLabel>
          {({ value, onChange }) => (
            <Checkbox
              label="Patients may change their plan by themselves"
              hint="They see what it costs before they agree."
              checked={value === true}
              onCheckedChange={onChange}
            />
          )}
        </FormField>
      </div>
      <div>
        <Button type="submit" variant="primary" pending={form.formState.isSubmitting}>
          Save rules
        </Button>
      </div>
    </Form>
  );
}

export function IntegrationsPage() {
  const trpc = useTRPC();
  const integrations = useQuery(trpc.integrations.list.queryOptions({}));
  const stripe = integrations.data?.find(({ provider }) => provider === 'stripe');
  const unknown = stripe?.sync?.unknown ?? [];
  return (
    <>
      <PageHeader title="Integrations" description="The services that Carelane works with for your clinic" />
      {integrations.data ? (
        <div className="grid gap-5">
          <div className="grid items-start gap-5 lg:grid-cols-2">
            {integrations.data.map((integration) => (
              <IntegrationCard key={integration.provider} integration={integration} />
            ))}
          </div>
          {unknown.length > 0 && <UnknownSubscriptions unknown={unknown} />}
          {stripe?.settings && <BillingSettings settings={stripe.settings} />}
          <VideoVisits />
        </div>
      ) : (
        <Card className="overflow-hidden">
          {integrations.error ? (
            <ErrorState error={integrations.error} onRetry={() => void integrations.refetch()} />
          ) : (
            <DataTableSkeleton columns={2} />
          )}
        </Card>
      )}
    </>
  );
}

const loadAttachDialog = () => import('../patients/attach-dialog.tsx').then((module) => module.AttachDialog);

/** Subscriptions made at Stripe for customers who are no patients: staff attach each to a patient, or ignore it. */
function UnknownSubscriptions({ unknown }: { unknown: UnknownSubscriptionView[] }) {
  const client = useTRPCClient();
  const [attaching, setAttaching] = useState<UnknownSubscriptionView | null>(null);
  const LazyAttachDialog = useLazyComponent(loadAttachDialog, attaching !== null, () => {
    setAttaching(null);
    toast.error('This could not be loaded. Try again.');
  });
  return (
    <Card aria-label="Subscriptions of unknown customers">
      <CardHeader
        title="Subscriptions of unknown customers"
        description="They were made at Stripe, for customers who are not patients here. Say whose each is, or leave it alone."
      />
      <CardBody>
        <ul className="grid gap-3">
          {unknown.map((subscription) => (
            <UnknownRow key={subscription.id} subscription={subscription} onAttach={() => setAttaching(subscription)} />
          ))}
        </ul>
      </CardBody>
      {attaching && LazyAttachDialog && (
        <LazyAttachDialog
          title={`Attach ${attaching.name ?? 'the subscription'} to a patient`}
          description="The customer at Stripe becomes this patient: all of their subscriptions and payments are seen here, under the patient’s name and address."
          attach={(patient_id) => client.subscriptions.attach.mutate({ id: attaching.id, patient_id })}
          done={(name) => `It is ${name}’s now`}
          onClose={() => setAttaching(null)}
        />
      )}
    </Card>
  );
}

function UnknownRow({ subscription, onAttach }: { subscription: UnknownSubscriptionView; onAttach: () => void }) {
  const trpc = useTRPC();
  const refresh = useInvalidate('integrations');
  const leave = useMutation(
    trpc.subscriptions.leaveAlone.mutationOptions({
      onSuccess: () => toast.success('It is left alone'),
      onError: (error) => toast.error(firstErrorMessage(error)),
      onSettled: refresh,
    }),
  );
  const name = subscription.name ?? 'A subscription';
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line pb-3 last:border-0 last:pb-0">
      <div className="grid min-w-0 flex-1 basis-60 gap-0.5">
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium wrap-anywhere">{name}</span>
          <StatusBadge kind="subscription" status={subscription.status} />
        </span>
        <span className="text-[13px] text-muted">
          Seen first <DateTime value={subscription.first_seen_at} />
        </span>
        <span className="text-[13px] text-muted wrap-anywhere">
          {subscription.id}, of {subscription.customer_id}
        </span>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button aria-label={`Attach ${name}, ${subscription.id}, to a patient`} onClick={onAttach}>
          Attach to a patient
        </Button>
        <Button
          variant="ghost"
          aria-label={`Leave ${name}, ${subscription.id}, alone`}
          pending={leave.isPending}
          onClick={() => leave.mutate({ id: subscription.id })}
        >
          Leave alone
        </Button>
      </div>
    </li>
  );
}

type CheckResult = VideoCheckView & { relay: TriedRelay | null };

/** ICE servers of video visits: what they lack, and whether the service and this browser reach them. */
function VideoVisits() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const stored = useQuery(trpc.system.videoServers.queryOptions({}));
  const check = useMutation({
    mutationFn: async (): Promise<CheckResult> => {
      const view = await client.system.checkVideo.mutate({});
      const relays = view.ice_servers.filter(({ credential }) => credential !== undefined);
      const relay = relays.length > 0 ? await tryRelay(relays) : null;
      return { ...view, findings: [...view.findings, ...relayFindings(view, relay)], relay };
    },
    onError: (error) => toast.error(firstErrorMessage(error)),
  });
  if (!stored.data) return null;
  const { elsewhere, servers } = stored.data;
  const findings = check.data?.findings ?? stored.data.findings;
  return (
    <Card aria-label="Video visits">
      <CardHeader title="Video visits" description="How the browsers of a patient and a practitioner find each other" />
      <CardBody className="grid gap-4">
        {elsewhere ? (
          <p>Visits take place at {elsewhere}. They are not set up here.</p>
        ) : (
          <>
            {findings.length > 0 && <Findings findings={findings} />}
            <ul aria-label="Servers" className="grid gap-2 empty:hidden">
              {servers.map((url) => (
                <ServerResult key={url} label={url} result={check.data?.servers.find((server) => server.url === url)} />
              ))}
              {check.data?.relay && (
                <ServerResult
                  label="From this browser, through the relay alone"
                  result={{
                    works: check.data.relay.works,
                    words: check.data.relay.works
                      ? `Round trip in ${check.data.relay.tookMs} ms`
                      : 'Nothing got through',
                  }}
                />
              )}
            </ul>
            {servers.length > 0 && (
              <div>
                <Button pending={check.isPending} onClick={() => check.mutate()}>
                  {!check.isPending && <RefreshCw aria-hidden />}
                  Check now
                </Button>
              </div>
            )}
          </>
        )}
      </CardBody>
    </Card>
  );
}

function ServerResult({ label, result }: { label: string; result: { works: boolean; words: string } | undefined }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
      <span className="min-w-0 wrap-anywhere">{label}</span>
      {result && (
        <span className="flex items-center gap-1.5 text-[13px]">
          {result.works ? (
            <CircleCheck aria-label="Works" className="size-4 shrink-0 text-accent-ink" />
          ) : (
            <TriangleAlert aria-label="Does not work" className="size-4 shrink-0 text-warn-ink" />
          )}
          {result.words}
        </span>
      )}
    </li>
  );
}
