'use client';
import { RefreshCw } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import type { AppointmentView } from '#contract/scheduling.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { VisitTestResult } from '#contract/visit-test.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { TriedOut } from './tried-out.tsx';

type VisitFactsProps = {
  visit: AppointmentView;
  canJoin: boolean;
  bookedBy: string | null;
  test: VisitTestResult | null;
  onNewLink: () => void;
};

/** Practitioner, place and origin of an appointment. `bookedBy` is null until the timeline is loaded. */
export function VisitFacts({ visit, canJoin, bookedBy, test, onNewLink }: VisitFactsProps) {
  const { calendar, calendar_id, location, video_call_url, created_at, provider_appointment_id } = visit;
  const isByVideo = location === null || location === video_call_url;
  return (
    <Card>
      <CardHeader title="Practitioner and place" />
      <dl className="grid gap-3 p-4 sm:max-xl:grid-cols-2">
        <Fact term="With">
          <Link href={`/appointments?with=${calendar_id}`} className="rounded-sm hover:underline">
            {calendar}
          </Link>
        </Fact>
        <Fact term="Place">{isByVideo ? 'By video' : location}</Fact>
        {canJoin && (
          <Fact term="Video link">
            <span className="mt-0.5 flex flex-wrap gap-1.5">
              <CopyButton size="sm" value={video_call_url} label="Copy link" />
              <Button size="sm" onClick={onNewLink}>
                <RefreshCw aria-hidden />
                New link
              </Button>
            </span>
          </Fact>
        )}
        {isByVideo && (canJoin || test) && (
          <Fact term="Camera and line">
            <TriedOut test={test} />
          </Fact>
        )}
        <Fact term={`Number at ${SCHEDULING_PROVIDER.name}`}>{provider_appointment_id}</Fact>
        {/* Last, because `bookedBy` loads later and must not shift other content. */}
        <Fact term="Booked">
          <DateTime value={created_at} />
          {bookedBy && <span className="block text-[13px] text-muted">{bookedBy}</span>}
        </Fact>
      </dl>
    </Card>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[13px] text-muted">{term}</dt>
      <dd className="wrap-anywhere">{children ?? <span className="text-muted">–</span>}</dd>
    </div>
  );
}
