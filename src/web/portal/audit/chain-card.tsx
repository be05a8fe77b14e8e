'use client';
import { CircleAlert, RefreshCw, ShieldCheck, ShieldQuestion } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AuditChainView } from '#contract/audit.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useMe } from '../me.tsx';
import { faultWords, NEXT_STEPS } from './chain-words.ts';
import { useChain } from './use-chain.ts';

/** Entries get their seal within two seconds; a longer wait means that the sealing work is stalled. */
const LONG_MS = 60_000;
const inWords = (count: number) => count.toLocaleString('en-US');

/** Shows the last verification of the audit log and starts a new one. */
export function ChainCard() {
  const { data: chain, error, refetch, check, isAsking } = useChain();
  const zone = useMe().tenant.time_zone;
  if (error && !chain) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const fault = chain?.last?.fault;
  return (
    <Card aria-label="Whether the log holds" className="mb-5 p-4 print:break-inside-avoid">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="flex min-h-18 min-w-0 flex-1 basis-64 gap-3" aria-live="polite">
          {!chain ? (
            <Skeleton className="h-18 w-full" />
          ) : (
            <>
              <Mark chain={chain} />
              <div className="grid min-w-0 content-start gap-1">
                <h2 className="font-semibold">{titleOf(chain)}</h2>
                {fault && <p className="wrap-anywhere">{faultWords(fault, zone)}</p>}
                <Facts chain={chain} />
              </div>
            </>
          )}
        </div>
        <Button
          className="print:hidden"
          pending={isAsking || Boolean(chain?.running)}
          disabled={!chain}
          onClick={check}
        >
          {!isAsking && !chain?.running && <RefreshCw aria-hidden />}
          Check now
        </Button>
      </div>
      {chain?.running && <Progress {...chain.running} />}
      {fault && (
        <div className="mt-3 rounded-md bg-danger-soft px-3 py-2 text-danger-ink">
          <p className="font-medium">What to do</p>
          <ol className="mt-1 list-decimal space-y-1 pl-5">
            {NEXT_STEPS.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </div>
      )}
    </Card>
  );
}

const titleOf = ({ last }: AuditChainView): string =>
  last === null ? 'Not checked yet' : last.fault ? 'The log was tampered with' : 'The log is whole';

function Mark({ chain: { last } }: { chain: AuditChainView }) {
  const style = 'mt-0.5 size-5 shrink-0';
  if (last === null) return <ShieldQuestion aria-hidden className={`${style} text-muted`} />;
  if (last.fault) return <CircleAlert aria-hidden className={`${style} text-danger-ink`} />;
  return <ShieldCheck aria-hidden className={`${style} text-good-ink`} />;
}

function Facts({ chain }: { chain: AuditChainView }) {
  const { last, sealed_through, sealed_at, waiting, waiting_since, held_from } = chain;
  const isLate = waiting_since !== null && Date.now() - Date.parse(waiting_since) > LONG_MS;
  const facts: ReactNode[] = [
    last && (
      <>
        Last checked <DateTime value={last.at} />
        {last.fault ? '' : `, up to entry ${inWords(last.through)}`}.
      </>
    ),
    sealed_through > 0 && (
      <>
        Sealed up to entry {inWords(sealed_through)}
        {sealed_at && (
          <>
            , last <DateTime value={sealed_at} />
          </>
        )}
        .
      </>
    ),
    held_from > 1 && `Kept from entry ${inWords(held_from)} on; older ones were removed when they were old enough.`,
    isLate &&
      `${inWords(waiting)} ${waiting === 1 ? 'entry waits' : 'entries wait'} for a seal for more than a minute. Tell the operator of this service.`,
  ];
  return facts.map(
    (fact, at) =>
      fact && (
        // biome-ignore lint/suspicious/noArrayIndexKey: the facts have fixed positions
        <p key={at} className="text-[13px] text-muted">
          {fact}
        </p>
      ),
  );
}

function Progress({ checked, total }: { checked: number; total: number }) {
  return (
    <div className="mt-3 grid gap-1 print:hidden">
      <progress
        className="h-1.5 w-full accent-accent"
        max={total || 1}
        value={total ? checked : undefined}
        aria-label="Checking the log"
      />
      <p className="text-[13px] text-muted tabular-nums">
        {total ? `Checked ${inWords(checked)} of ${inWords(total)} entries` : 'The check begins in a moment'}
      </p>
    </div>
  );
}
