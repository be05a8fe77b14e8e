import type { TimelineEntryView } from '#contract/timeline.ts';
import { localDate } from '#web/ui/format-time.ts';

export type TimelineDay = { day: string; lines: [TimelineEntryView, ...TimelineEntryView[]] };

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
