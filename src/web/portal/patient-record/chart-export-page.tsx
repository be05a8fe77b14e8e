'use client';
import { useQuery } from '@tanstack/react-query';
import { Download, Printer } from 'lucide-react';
import type { ChartExport } from '#contract/timeline.ts';
import { createApiError } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { PageSkeleton } from '#web/ui/skeleton.tsx';
import { useInvalidate } from '../../trpc-client.tsx';
import { useDownload } from '../use-download.ts';

type Row = Record<string, unknown>;
type ReadExport = { head: ChartExport; sections: { name: string; title: string; rows: Row[] }[] };

/** Titles of the export's sections, in print order. A section without a title is printed last. */
const TITLES: Record<string, string> = {
  patient: 'Record',
  phones: 'Phone numbers',
  addresses: 'Addresses',
  visits: 'Appointments',
  notes: 'Notes',
  earlier_texts_of_notes: 'Earlier texts of notes',
  subscriptions: 'Subscriptions and payments',
  subscriptions_asked_for: 'Subscriptions asked for',
  payer: 'Known to the payment service as',
  payment_links: 'Payment links',
  sign_in_methods: 'Ways to sign in',
  devices: 'Known devices',
  sessions: 'Times signed in',
  sign_ups: 'Sign-ups',
  email_changes_asked_for: 'Email changes asked for',
  address_changes: 'Changed addresses and numbers',
  help_to_sign_in: 'Help with signing in',
  events: 'Events sent to other systems',
  audit_log: 'Who has seen or changed it',
};

/** Label of a field name: `started_at` -> `Started at`. */
function labelOf(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Loads all stored data of a patient. Each call is an export that the audit log records. */
async function readChartExport(id: string, signal?: AbortSignal): Promise<ReadExport> {
  const query = new URLSearchParams({ patient_id: id, format: 'page' });
  const response = await fetch(`/api/charts/export?${query}`, { cache: 'no-store', ...(signal && { signal }) });
  const body = (await response.json()) as ChartExport &
    Record<string, unknown> & { errors?: { code: string; people?: string }[] };
  if (!response.ok) {
    const [error] = body.errors ?? [];
    throw createApiError(error?.code ?? 'internal_error', error?.people ?? 'This could not be read. Try again.');
  }
  const names = Object.keys(body).filter((name) => Array.isArray(body[name]));
  const order = Object.keys(TITLES);
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return {
    head: body,
    sections: names
      .sort((a, b) => place(a) - place(b))
      .map((name) => ({ name, title: TITLES[name] ?? labelOf(name), rows: body[name] as Row[] })),
  };
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
export const isInstant = (value: unknown): value is string =>
  typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));

/** Printable text of a value; null where it is empty. */
export function asText(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(asText).filter(Boolean).join('; ') || null;
  if (typeof value !== 'object') return String(value);
  const parts = Object.entries(value).flatMap(([name, inner]) => {
    const text = asText(inner);
    return text === null ? [] : [`${labelOf(name).toLowerCase()}: ${text}`];
  });
  return parts.join(', ') || null;
}

/** All stored data of one patient, to print or save; for admins. */
export function ChartExportPage({ id }: { id: string }) {
  const refresh = useInvalidate('timeline');
  const read = useQuery({
    queryKey: ['chart-export', id],
    async queryFn({ signal }) {
      const chart = await readChartExport(id, signal);
      // The export is an entry of the timeline itself.
      void refresh();
      return chart;
    },
    // Each request creates an audited export, so none is made automatically, such as on window focus.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const back = { href: `/patients/${id}`, label: 'Patient' };
  if (read.error)
    return (
      <>
        <PageHeader title="Everything on record" back={back} />
        <ErrorState error={read.error} title="This cannot be shown" onRetry={() => void read.refetch()} />
      </>
    );
  if (!read.data) return <PageSkeleton title="Everything on record" />;
  return <Loaded id={id} back={back} {...read.data} />;
}

type LoadedProps = ReadExport & { id: string; back: { href: string; label: string } };

function Loaded({ id, back, head, sections }: LoadedProps) {
  const patient = sections.find(({ name }) => name === 'patient')?.rows[0] ?? {};
  const name =
    [patient.first_name, patient.last_name].filter(Boolean).join(' ') || asText(patient.email) || 'A patient';
  const download = useDownload();
  const save = () => void download(`/api/charts/export?${new URLSearchParams({ patient_id: id, format: 'json' })}`);
  return (
    <>
      <title>{`Everything on record about ${name} · Carelane`}</title>
      <PageHeader
        title={`Everything on record about ${name}`}
        back={back}
        description={
          <>
            By {head.clinic}, as it stood <DateTime value={head.exported_at} />
          </>
        }
        actions={
          <>
            <Button variant="primary" onClick={save}>
              <Download aria-hidden />
              Save as a file (JSON)
            </Button>
            <Button onClick={() => window.print()}>
              <Printer aria-hidden />
              Print
            </Button>
          </>
        }
      />
      <div className="grid gap-6">
        {sections.map(({ name: section, title, rows }) => (
          <section key={section} aria-labelledby={`export-${section}`} className="grid min-w-0 gap-2">
            <h2 id={`export-${section}`} className="font-semibold">
              {title}
            </h2>
            {rows.length === 0 ? (
              <p className="text-muted">Nothing is kept.</p>
            ) : (
              <Card>
                <ul aria-labelledby={`export-${section}`} className="divide-y divide-line">
                  {rows.map((row, place) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: rows of an export have fixed positions
                    <li key={place} className="px-4 py-2.5">
                      <Facts row={row} />
                    </li>
                  ))}
                </ul>
              </Card>
            )}
          </section>
        ))}
        <section aria-labelledby="export-left-out" className="grid gap-2">
          <h2 id="export-left-out" className="font-semibold">
            Not in here
          </h2>
          <p className="max-w-prose text-muted">
            Passwords, keys, codes and the addresses of links, because anyone who finds this could use them. Messages
            that were sent are not kept.
          </p>
        </section>
      </div>
    </>
  );
}

/** Fields of one row, without empty ones. */
function Facts({ row }: { row: Row }) {
  return (
    <dl className="flex min-w-0 flex-wrap gap-x-5 gap-y-1">
      {Object.entries(row).map(([name, value]) => {
        const text = asText(value);
        return text === null ? null : (
          <div key={name} className="min-w-0">
            <dt className="text-xs text-muted">{labelOf(name)}</dt>
            <dd className="whitespace-pre-wrap wrap-anywhere">
              {isInstant(value) ? <DateTime value={value} /> : text}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
