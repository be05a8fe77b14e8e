import type { ReactNode } from 'react';
import type { CareView } from '#contract/care.ts';
import { DateTime } from '#web/ui/date-time.tsx';
import { planWords } from './care-words.ts';

/** Lists what archiving a patient ends, by the names that staff know. */
export function WhatEnds({ care: { visits, subscriptions } }: { care: CareView }) {
  return (
    <div className="mt-4 grid gap-4">
      {visits.count > 0 && (
        <Group title="Visits to cancel" {...visits}>
          {visits.items.map((visit) => (
            <li key={visit.id}>
              <span className="font-medium">
                <DateTime value={visit.from_date} calendarZone={visit.time_zone} />
              </span>
              <span className="block text-muted">
                {visit.appointment_type} with {visit.practitioner_name}
                {visit.status === 'pending' && ', just being booked'}
              </span>
            </li>
          ))}
        </Group>
      )}
      {subscriptions.count > 0 && (
        <Group title="Subscriptions to end" {...subscriptions}>
          {subscriptions.items.map((subscription) => (
            <li key={subscription.id}>{planWords(subscription)}</li>
          ))}
        </Group>
      )}
    </div>
  );
}

type GroupProps = { title: string; count: number; items: unknown[]; children: ReactNode };

function Group({ title, count, items, children }: GroupProps) {
  return (
    <div>
      <h3 className="text-[13px] font-semibold">{title}</h3>
      <ul aria-label={title} className="mt-1.5 grid gap-2 rounded-lg border border-line px-3 py-2.5 wrap-anywhere">
        {children}
        {count > items.length && <li className="text-muted">and {count - items.length} more</li>}
      </ul>
    </div>
  );
}
