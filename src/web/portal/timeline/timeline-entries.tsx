'use client';
import { CalendarDays, CreditCard, FileText, KeyRound, type LucideIcon, Mail, Sparkles } from 'lucide-react';
import { useId } from 'react';
import type { TimelineEntryView, TimelineKind, TimelineView } from '#contract/timeline.ts';
import { cn } from '#web/ui/cn.ts';
import { DateTime } from '#web/ui/date-time.tsx';
import { formatInstant, localDate } from '#web/ui/format-time.ts';
import { Link } from '#web/ui/link.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { usePages } from '../use-pages.ts';

const PAGE_SIZE = 30;

/** `of`: what the object is, because those who see subscriptions may read what happened to one, without the chart. */
export type TimelineFilter =
  | { patient_id: string; kind?: TimelineKind; of?: never }
  | { patient_id: string; object_id: string; of: 'visits' | 'subscriptions' };

/**
 * Timeline of a patient, or of one appointment or subscription of theirs: the latest first, older entries on request.
 * Without the permission for charts, only that of a subscription is loaded, and shows what happened to the subscription
 * itself.
 */
export function useTimeline(filter: TimelineFilter) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const isWhole = useMay('charts:read');
  const { of, ...own } = filter;
  const input = { size: PAGE_SIZE, ...own, ...(of && !isWhole && { kind: of }) };
  return usePages<TimelineEntryView, Pick<TimelineView, 'planned'>>({
    enabled: isWhole || of === 'subscriptions',
    queryKey: trpc.timeline.list.queryKey(input),
    read: ({ starting_after }, signal) =>
      client.timeline.list.query({ ...input, ...(starting_after && { starting_after }) }, { signal }),
  });
}

type TimelineDay = { day: string; lines: [TimelineEntryView, ...TimelineEntryView[]] };

/** Groups entries by day on the reader's clock; days and entries stay in their order. */
export function groupByDay(lines: TimelineEntryView[], timeZone: string): TimelineDay[] {
  const days: TimelineDay[] = [];
  for (const line of lines) {
    const day = localDate(line.at, timeZone);
    const last = days.at(-1);
    if (last?.day === day) last.lines.push(line);
    else days.push({ day, lines: [line] });
  }
  return days;
}

type FoldedLine = TimelineEntryView & { times: string[] };

/** Folds adjacent entries that differ only in their time, such as notes by one author, and keeps each time. */
export function foldLines(lines: TimelineEntryView[]): FoldedLine[] {
  const folded: FoldedLine[] = [];
  for (const line of lines) {
    const last = folded.at(-1);
    if (last && textOf(last) === textOf(line)) last.times.push(line.at);
    else folded.push({ ...line, times: [line.at] });
  }
  return folded;
}

/** ", 3 times: 2:05 PM, 1:00 PM"; without the times where all are the same, which the entry shows already. */
export function timesLabel(times: string[], zone: string): string | false {
  const shown = [...new Set(times.map((each) => formatInstant(each, 'time', zone)))];
  return times.length > 1 && `, ${times.length} times${shown.length > 1 ? `: ${shown.join(', ')}` : ''}`;
}

const textOf = ({ kind, title, note, by, about }: TimelineEntryView): string =>
  JSON.stringify([kind, title, note, by, about]);

const ICONS: Record<TimelineEntryView['kind'], LucideIcon> = {
  visits: CalendarDays,
  subscriptions: CreditCard,
  sign_in: KeyRound,
  record: FileText,
  messages: Mail,
  other: Sparkles,
};

type TimelineEntriesProps = { lines: TimelineEntryView[]; stale?: boolean; isPlanned?: boolean };

/** Timeline entries by day: what happened or is planned, to which appointment or subscription, and the actor. */
export function TimelineEntries({ lines, stale = false, isPlanned = false }: TimelineEntriesProps) {
  const zone = useReaderZone();
  const id = useId();
  return (
    <div aria-busy={stale || undefined} className={cn('px-4 py-3', stale && 'opacity-60 transition-opacity')}>
      {groupByDay(lines, zone).map(({ day, lines: ofDay }) => (
        <div key={day} className="not-first:mt-4">
          <h3 id={`${id}-${day}`} className="mb-1 text-xs font-medium text-muted">
            {isPlanned && 'Planned: '}
            {formatInstant(ofDay[0].at, 'weekday', zone)}
          </h3>
          <ol aria-labelledby={`${id}-${day}`} className="grid gap-2.5">
            {foldLines(ofDay).map((line) => (
              <Line key={line.id} line={line} zone={zone} />
            ))}
          </ol>
        </div>
      ))}
    </div>
  );
}

function Line({ line, zone }: { line: FoldedLine; zone: string }) {
  const { at, times, kind, title, note, by, about } = line;
  const Icon = ICONS[kind];
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)_auto] items-start gap-x-2.5">
      <Icon aria-hidden className="mt-0.5 size-4 text-muted" />
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{title}</p>
        {about && (about.name || about.from_date) && (
          <p className="wrap-anywhere">
            {about.name && <ThingName kind={kind} id={about.id} name={about.name} />}
            {about.name && about.from_date && ', '}
            {about.moved_from && (
              <>
                from <DateTime value={about.moved_from} /> to{' '}
              </>
            )}
            {about.from_date && <DateTime value={about.from_date} />}
          </p>
        )}
        {note && <p className="wrap-anywhere">{note}</p>}
        <p className="text-[13px] text-muted wrap-anywhere">
          {by}
          {timesLabel(times, zone)}
        </p>
      </div>
      <time dateTime={at} className="text-[13px] whitespace-nowrap text-muted tabular-nums">
        {formatInstant(at, 'time', zone)}
      </time>
    </li>
  );
}

/** Links to the page of the appointment or subscription; other kinds are plain names. */
function ThingName({ kind, id, name }: { kind: TimelineEntryView['kind']; id: string; name: string }) {
  const page =
    kind === 'visits' || kind === 'messages' ? 'appointments' : kind === 'subscriptions' ? 'subscriptions' : null;
  if (!page) return name;
  return (
    <Link
      href={`/${page}/${id}`}
      className="rounded-sm underline decoration-line underline-offset-3 hover:decoration-current"
    >
      {name}
    </Link>
  );
}

/** Placeholder while entries load. */
export function TimelineSkeleton() {
  return (
    <div role="status" className="grid gap-3 px-4 py-4">
      <span className="sr-only">Loading…</span>
      {['w-48', 'w-56', 'w-40', 'w-52'].map((width) => (
        <div key={width} aria-hidden className="grid gap-1.5">
          <span className={`block h-3.5 animate-pulse rounded-md bg-line ${width}`} />
          <span className="block h-3 w-28 animate-pulse rounded-md bg-line" />
        </div>
      ))}
    </div>
  );
}
