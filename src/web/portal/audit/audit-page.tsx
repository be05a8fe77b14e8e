'use client';
import { CircleAlert, Download, RefreshCw, ScrollText, ShieldCheck, ShieldQuestion } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import type { AuditChainView, AuditEntryView } from '#contract/audit.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { formatCount } from '#web/ui/count-label.ts';
import { type Column, DataTable } from '#web/ui/data-table.tsx';
import { DatePicker } from '#web/ui/date-picker.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { DropdownMenu } from '#web/ui/dropdown-menu.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { FilterSelect } from '#web/ui/plain-select.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { dayBounds } from '../appointments/local-time.ts';
import { useMe } from '../me.tsx';
import { useNow } from '../now.tsx';
import { PatientFilter } from '../patients/patient-filter.tsx';
import { useDownload } from '../use-download.ts';
import { usePages } from '../use-pages.ts';
import { useDayParam, useQueryParam } from '../use-query-param.ts';
import { describeRow, KIND_OPTIONS, moreReads, outcomeLabel, subjectOf } from './action-labels.ts';
import { actorFilter, isId } from './actor-filter.ts';
import { chainFaultMessage, NEXT_STEPS } from './chain-messages.ts';
import { type AuditRow, foldEntries } from './fold-entries.ts';
import { useChain } from './use-chain.ts';
import { WhoFilter } from './who-filter.tsx';

/** Entries get their seal within two seconds; a longer wait means that the sealing work is stalled. */
const SEAL_OVERDUE_MS = 60_000;

/** Shows the last verification of the audit log and starts a new one. */
function ChainCard() {
  const { data: chain, error, refetch, check, isStarting } = useChain();
  const zone = useMe().tenant.time_zone;
  if (error && !chain) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const fault = chain?.last?.fault;
  return (
    <Card aria-label="Is the log intact?" className="mb-5 p-4 print:break-inside-avoid">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="flex min-h-18 min-w-0 flex-1 basis-64 gap-3" aria-live="polite">
          {!chain ? (
            <Skeleton className="h-18 w-full" />
          ) : (
            <>
              <Mark chain={chain} />
              <div className="grid min-w-0 content-start gap-1">
                <h2 className="font-semibold">{titleOf(chain)}</h2>
                {fault && <p className="wrap-anywhere">{chainFaultMessage(fault, zone)}</p>}
                <Facts chain={chain} />
              </div>
            </>
          )}
        </div>
        <Button
          className="print:hidden"
          pending={isStarting || Boolean(chain?.running)}
          disabled={!chain}
          onClick={check}
        >
          {!isStarting && !chain?.running && <RefreshCw aria-hidden />}
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
  last === null ? 'Not checked yet' : last.fault ? 'The log was tampered with' : 'The log is intact';

function Mark({ chain: { last } }: { chain: AuditChainView }) {
  const style = 'mt-0.5 size-5 shrink-0';
  if (last === null) return <ShieldQuestion aria-hidden className={`${style} text-muted`} />;
  if (last.fault) return <CircleAlert aria-hidden className={`${style} text-danger-ink`} />;
  return <ShieldCheck aria-hidden className={`${style} text-good-ink`} />;
}

function Facts({ chain }: { chain: AuditChainView }) {
  const now = useNow();
  const { last, sealed_through, sealed_at, waiting, waiting_since, held_from } = chain;
  const isLate = waiting_since !== null && now - Date.parse(waiting_since) > SEAL_OVERDUE_MS;
  const facts: ReactNode[] = [
    last && (
      <>
        Last checked <DateTime value={last.at} />
        {last.fault ? '' : `, up to entry ${formatCount(last.through)}`}.
      </>
    ),
    sealed_through > 0 && (
      <>
        Sealed up to entry {formatCount(sealed_through)}
        {sealed_at && (
          <>
            , last <DateTime value={sealed_at} />
          </>
        )}
        .
      </>
    ),
    held_from > 1 && `Kept from entry ${formatCount(held_from)} on; older ones were removed when they were old enough.`,
    isLate &&
      `${formatCount(waiting)} ${waiting === 1 ? 'entry waits' : 'entries wait'} for a seal for more than a minute. Tell the operator of this service.`,
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
        {total ? `Checked ${formatCount(checked)} of ${formatCount(total)} entries` : 'The check begins in a moment'}
      </p>
    </div>
  );
}

const RowSheet = lazyComponent(() => import('./row-sheet.tsx').then((module) => module.RowSheet));

const OUTCOMES = [
  { value: '', label: 'Done or refused' },
  { value: 'done', label: 'Done' },
  { value: 'refused', label: 'Refused' },
];

/** Entries of a page; an opened chart has about fifteen, which become one row. */
const PAGE_SIZE = 200;

/** Audit log for admins: who accessed and changed which records. */
export function AuditPage() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const zone = useMe().tenant.time_zone;
  const [shownId, setShownId] = useState<string | null>(null);
  const [patientParam, setPatient] = useQueryParam('patient');
  const [who, setWho] = useQueryParam('who');
  const [what, setWhat] = useQueryParam('what');
  const [outcome, setOutcome] = useQueryParam('outcome');
  const [from, setFrom] = useDayParam('from');
  const [until, setUntil] = useDayParam('until');
  const patientId = isId(patientParam) ? patientParam : null;
  const kind = KIND_OPTIONS.find(({ value }) => value === what)?.value;
  const filter = {
    ...(patientId && { patient_id: patientId }),
    ...actorFilter(who),
    ...(kind && { kind }),
    ...((outcome === 'done' || outcome === 'refused') && { outcome: outcome as 'done' | 'refused' }),
    ...(from && { since: dayBounds(from, zone).start }),
    ...(until && { until: dayBounds(until, zone).end }),
  };
  const { rows: entries, ...pages } = usePages<AuditEntryView>({
    queryKey: trpc.audit.list.queryKey(filter),
    read: (page, signal) => client.audit.list.query({ size: PAGE_SIZE, ...filter, ...page }, { signal }),
  });
  const startDownload = useDownload();
  const rows = useMemo(() => entries && foldEntries(entries), [entries]);
  // Its row may have become longer: older entries were loaded.
  const shown = rows?.find((row) => row.entries.some(({ id }) => id === shownId));
  const download = (format: 'csv' | 'ndjson') =>
    void startDownload(`/api/audit/export?${new URLSearchParams({ ...filter, format })}`);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who has seen and changed what in your clinic"
        actions={
          <DropdownMenu
            label="Export"
            trigger={
              <Button>
                <Download aria-hidden />
                Export
              </Button>
            }
            entries={[
              { kind: 'action', label: 'For a spreadsheet (CSV)', onSelect: () => download('csv') },
              { kind: 'action', label: 'For a program (NDJSON)', onSelect: () => download('ndjson') },
            ]}
          />
        }
      />
      <ChainCard />
      <DataTable<AuditRow>
        {...pages}
        rows={rows}
        more={{
          ...pages.more,
          noun: 'entry',
          folded: entries && rows && entries.length > rows.length ? entries.length : undefined,
        }}
        label="Audit log"
        columns={columnsFor(setShownId)}
        rowId={({ id }) => id}
        toolbar={
          <>
            <PatientFilter
              value={patientId ? { value: patientId, label: nameIn(entries, patientId) ?? 'One patient' } : null}
              onChange={(patient) => setPatient(patient?.value ?? '')}
            />
            <WhoFilter value={who} onChange={setWho} entries={entries} />
            <FilterSelect label="What" options={KIND_OPTIONS} value={kind ?? ''} onChange={setWhat} />
            <FilterSelect label="Outcome" options={OUTCOMES} value={outcome} onChange={setOutcome} />
            <span className="flex flex-wrap gap-2 max-md:w-full">
              <DatePicker label="From" value={from} onChange={setFrom} />
              <DatePicker label="Until" value={until} onChange={setUntil} />
            </span>
          </>
        }
        empty={
          isFiltered ? (
            <EmptyState icon={ScrollText} title="Nothing matches" description="Try other days, or fewer filters." />
          ) : (
            <EmptyState
              icon={ScrollText}
              title="Nothing yet"
              description="Everyone who opens a chart or changes something shows here at once."
            />
          )
        }
      />
      {shown && (
        <RowSheet
          row={shown}
          onClose={() => setShownId(null)}
          onOnly={(actorId) => {
            setShownId(null);
            setWho(actorId);
          }}
        />
      )}
    </>
  );
}

/** A patient's name as the entries have it: to read the record would leave an entry that the chart was opened. */
const nameIn = (entries: AuditEntryView[] | undefined, id: string): string | null =>
  entries?.flatMap(({ patients }) => patients).find((patient) => patient.id === id)?.name ?? null;

const columnsFor = (onOpen: (entryId: string) => void): Column<AuditRow>[] => [
  {
    header: 'What happened',
    phone: 'title',
    cell: (row) => {
      const more = moreReads(row);
      return (
        <button
          type="button"
          onClick={() => onOpen(row.id)}
          className="min-h-6 rounded-sm text-left wrap-anywhere hover:underline"
        >
          <span className="font-medium">{subjectOf(row.lead)}</span> {describeRow(row)}
          {more && <span className="text-[13px] font-normal text-muted"> {more}</span>}
        </button>
      );
    },
  },
  {
    header: 'Outcome',
    phone: 'corner',
    cell: ({ lead: { outcome } }) =>
      outcome === 'done' ? (
        <span className="text-muted max-md:hidden">Done</span>
      ) : (
        <Badge tone="warn" dot>
          {outcomeLabel(outcome)}
        </Badge>
      ),
  },
  { header: 'When', cell: ({ lead: { at } }) => <DateTime value={at} stacked /> },
  {
    header: 'From',
    phone: 'hidden',
    cell: ({ lead: { device, address } }) => (
      <span className="text-[13px] text-muted">{[device, address].filter(Boolean).join(', ') || '–'}</span>
    ),
  },
];
