import type { AvailabilityView } from '#contract/availability.ts';

/**
 * Returns the same text as `JSON.stringify` for a third of the work: within a calendar's thousands of slots only the
 * two instants differ, and those hold no characters that JSON escapes.
 */
export function serializeAvailability(times: AvailabilityView[]): string {
  const rests = new Map<number, string>();
  let text = '';
  for (const time of times) {
    let end = rests.get(time.calendar_id);
    if (end === undefined) {
      const { from_date, to_date, ...rest } = time;
      end = `","${JSON.stringify(rest).slice(2)}`;
      rests.set(time.calendar_id, end);
    }
    text += `${text === '' ? '[' : ','}{"from_date":"${time.from_date}","to_date":"${time.to_date}${end}`;
  }
  return text === '' ? '[]' : `${text}]`;
}
