'use client';
import { useQuery } from '@tanstack/react-query';
import type { MailFinding } from '#contract/message-settings.ts';
import { Badge, type Tone } from '#web/ui/badge.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { DataTableSkeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';

const NAMES: Record<MailFinding['what'], string> = {
  spf: 'Who may send (SPF)',
  dkim: 'Signatures (DKIM)',
  dmarc: 'What to do with forged mail (DMARC)',
};
const STATES: Record<MailFinding['state'], [label: string, tone: Tone]> = {
  good: ['In order', 'good'],
  advice: ['Advice', 'info'],
  wrong: ['To be repaired', 'warn'],
  unknown: ['Not known', 'neutral'],
};

/** Checks whether receivers can authenticate the clinic's mail; renders nothing in a sandbox, which sends no mail. */
export function MailDomain() {
  const trpc = useTRPC();
  const checked = useQuery(trpc.mailDomain.check.queryOptions({}));
  if (checked.data && checked.data.domain === null) return null;
  return (
    <Card aria-label="Whether mail arrives">
      <CardHeader
        title="Whether mail arrives"
        description={checked.data ? `What DNS says about mail from ${checked.data.domain}` : undefined}
      />
      {checked.error ? (
        <ErrorState error={checked.error} onRetry={() => void checked.refetch()} />
      ) : !checked.data ? (
        <DataTableSkeleton columns={2} />
      ) : (
        <ul className="divide-y divide-line">
          {checked.data.findings.map(({ what, state, title, detail }) => (
            <li key={what} className="flex items-start justify-between gap-3 px-4 py-3">
              <div className="min-w-0">
                <p className="font-medium wrap-anywhere">
                  {NAMES[what]} {title}
                </p>
                <p className="text-[13px] text-muted wrap-anywhere">{detail}</p>
              </div>
              <Badge tone={STATES[state][1]} dot>
                {STATES[state][0]}
              </Badge>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
