'use client';
import { ExternalLink } from 'lucide-react';
import type { IntegrationView } from '#contract/integrations.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { CopyField } from '#web/ui/copy-field.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { CheckNow } from './check-now.tsx';
import { ConnectAcuity } from './connect-acuity.tsx';
import { ConnectStripe } from './connect-stripe.tsx';
import { detailWords } from './detail-words.ts';
import { Disconnect } from './disconnect.tsx';
import { Findings } from './findings.tsx';
import { Prerequisites } from './prerequisites.tsx';
import { PROVIDERS } from './provider-names.ts';
import { ProviderSync } from './provider-sync.tsx';

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
        {connected && integration.requirements.length > 0 && <Requirements words={integration.requirements} />}
        <dl className="grid gap-2">
          {integration.account_id && !isStripe && <Detail term="Account" value={integration.account_id} />}
          {detailWords(integration.details).map(({ term, value }) => (
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
              ? `The account ${integration.account_id} was disconnected. Connecting makes a new one; what is kept of the former stays.`
              : 'Connecting makes an account for your clinic at Stripe, and leads you to its pages to give the details. An account that you have already cannot be used.'}
          </p>
        )}
        {!isStripe && !connected && (
          <p className="text-[13px] text-muted">
            {integration.account_id
              ? `The account ${integration.account_id} was disconnected. Scheduling is not connected: no times are offered, and visits can be read only. Connecting it again goes on where it was.`
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

function Requirements({ words }: { words: string[] }) {
  return (
    <section aria-label="What is still asked for" className="grid gap-1.5">
      <h3 className="font-medium">What is still asked for</h3>
      <ul className="grid list-disc gap-1 pl-5 text-[13px]">
        {words.map((line) => (
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
