'use client';
import { formatInstant } from '#web/ui/format-time.ts';
import { Stat } from '#web/ui/stat.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useVisits, type VisitFilter, WHOLE_DAY } from '../appointments/use-visits.ts';

/** Key figures of the day. Only booked appointments count. */
export function TodayFigures({ filter, now }: { filter: VisitFilter; now: Date }) {
  const zone = useReaderZone();
  const { rows, error } = useVisits(filter, WHOLE_DAY);
  if (error) return null;
  const loading = !rows;
  const coming = rows?.filter((visit) => Date.parse(visit.from_date) > now.getTime());
  const next = coming?.[0];
  return (
    <dl className="mb-5 grid grid-cols-3 gap-3 max-md:gap-2">
      <Stat label="Visits" value={rows?.length} loading={loading} />
      <Stat label="Still to come" value={coming?.length} loading={loading} />
      <Stat label="Next" value={next ? formatInstant(next.from_date, 'time', zone) : '–'} loading={loading} />
    </dl>
  );
}
