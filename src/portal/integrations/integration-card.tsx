'use client';
import { TriangleAlert } from 'lucide-react';
import type { IntegrationView } from '#contract/settings.ts';
import { Card, CardBody, CardHeader } from '#portal/ui/card.tsx';
import { DateTime } from '#portal/ui/date-time.tsx';
import { StatusBadge } from '#portal/ui/status-badge.tsx';
import { CheckNow } from './check-now.tsx';
import { ConnectAcuity } from './connect-acuity.tsx';
import { ConnectStripe } from './connect-stripe.tsx';
import { detailWords } from './detail-words.ts';
import { PROVIDERS } from './provider-names.ts';
import { StripeSync } from './stripe-sync.tsx';

export function IntegrationCard({ integration }: { integration: IntegrationView }) {
  const { name, purpose } = PROVIDERS[integration.provider];
  const connected = integration.status !== 'disconnected';
  return (
    <Card aria-label={name}>
      <CardHeader
        title={name}
        description={purpose}
        actions={<StatusBadge kind="integration" status={integration.status} />}
      />
      <CardBody className="grid gap-4">
        {integration.findings.length > 0 && (
          <ul className="grid gap-2">
            {integration.findings.map((finding) => (
              <li
                key={`${finding.code} ${finding.message}`}
                className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn-ink"
              >
                <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
                {finding.message}
              </li>
            ))}
          </ul>
        )}
        <dl className="grid gap-2">
          {integration.account_id && <Detail term="Account" value={integration.account_id} />}
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
        {connected && integration.sync && <StripeSync sync={integration.sync} />}
        <div className="flex flex-wrap gap-2">
          {integration.provider === 'acuity' ? (
            <ConnectAcuity connected={connected} />
          ) : (
            <ConnectStripe connected={connected} />
          )}
          {connected && <CheckNow provider={integration.provider} />}
        </div>
      </CardBody>
    </Card>
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
