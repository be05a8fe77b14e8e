import type { VisitTestResult } from '#contract/visit-test.ts';
import { Badge } from '#web/ui/badge.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { troublesOf } from './test-words.ts';

/** Result of the patient's camera, microphone and connection test before the appointment. */
export function TriedOut({ test }: { test: VisitTestResult | null }) {
  if (!test) return <span className="text-muted">Not tried out yet</span>;
  const troubles = troublesOf(test);
  return (
    <>
      <span className="flex flex-wrap gap-1.5">
        {troubles.length === 0 ? (
          <Badge tone="good">All was well</Badge>
        ) : (
          troubles.map((words) => (
            <Badge key={words} tone="warn">
              {words}
            </Badge>
          ))
        )}
      </span>
      <span className="block text-[13px] text-muted">
        <DateTime value={test.at} />
      </span>
    </>
  );
}
