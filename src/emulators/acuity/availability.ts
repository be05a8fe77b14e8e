import { addDays, atMinute, type LocalDate, localDate, MINUTE_MS, weekday } from './zone.ts';

/** Minutes since local midnight, end exclusive. */
export interface Window {
  startMinute: number;
  endMinute: number;
}

/** Seven lists of windows, Monday first. */
export type WeeklyHours = Window[][];

/** Instants in milliseconds since 1970, end exclusive. */
export interface Span {
  startAt: number;
  endAt: number;
}

export interface BookedSpan extends Span {
  paddingBefore: number;
  paddingAfter: number;
}

/** The working hours, appointments and blocks of one calendar. */
export interface Schedule {
  timezone: string;
  hours: WeeklyHours;
  booked: BookedSpan[];
  blocked: Span[];
}

/** Durations in minutes. `earliestAt` and `latestAt` are inclusive bounds of the start. */
export interface SlotRules {
  duration: number;
  paddingBefore: number;
  paddingAfter: number;
  interval: number;
  earliestAt: number;
  latestAt: number;
}

const overlaps = (a: Span, b: Span) => a.startAt < b.endAt && b.startAt < a.endAt;

const withPadding = (booked: BookedSpan): Span => ({
  startAt: booked.startAt - booked.paddingBefore * MINUTE_MS,
  endAt: booked.endAt + booked.paddingAfter * MINUTE_MS,
});

/**
 * Returns true when the span has no conflict. Two appointments keep the larger of their paddings between them, not the
 * sum: padding is time without an appointment, which both may share. It may extend past working hours and into a block.
 */
export function isFree(schedule: Schedule, candidate: BookedSpan): boolean {
  const paddedCandidate = withPadding(candidate);
  return (
    !schedule.blocked.some((block) => overlaps(block, candidate)) &&
    !schedule.booked.some((other) => overlaps(other, paddedCandidate) || overlaps(withPadding(other), candidate))
  );
}

/** Returns the bookable starts in `[range.startAt, range.endAt)`, ascending. */
export function openSlots(schedule: Schedule, rules: SlotRules, range: Span): number[] {
  const length = rules.duration * MINUTE_MS;
  const from = Math.max(range.startAt, rules.earliestAt);
  const until = Math.min(range.endAt, rules.latestAt + 1);
  const isBookable = (startAt: number) =>
    isFree(schedule, {
      startAt,
      endAt: startAt + length,
      paddingBefore: rules.paddingBefore,
      paddingAfter: rules.paddingAfter,
    });
  return workingSpans(schedule, { startAt: from, endAt: until }).flatMap((span) =>
    grid(span, rules.interval * MINUTE_MS, length).filter((at) => at >= from && at < until && isBookable(at)),
  );
}

/** Steps in elapsed time from the opening, so that a DST change neither adds nor loses slots. */
function grid(span: Span, step: number, length: number): number[] {
  const starts: number[] = [];
  for (let at = span.startAt; at + length <= span.endAt; at += step) starts.push(at);
  return starts;
}

function workingSpans(schedule: Schedule, range: Span): Span[] {
  if (range.startAt >= range.endAt) return [];
  const last = localDate(range.endAt - 1, schedule.timezone);
  const spans: Span[] = [];
  for (let date = localDate(range.startAt, schedule.timezone); date <= last; date = addDays(date, 1)) {
    for (const window of schedule.hours[weekday(date)] ?? []) spans.push(toSpan(date, window, schedule.timezone));
  }
  return spans;
}

const toSpan = (date: LocalDate, window: Window, zone: string): Span => ({
  startAt: atMinute(date, window.startMinute, zone),
  endAt: atMinute(date, window.endMinute, zone),
});
