import type { ExplanationView, NotOfferedReason } from '#contract/availability.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { type Minute, stamp } from '#server/core/zone.ts';

const PROVIDER = SCHEDULING_PROVIDER.name;

/** Why, who says so, and what people may like to know beside it. */
export type Reason = {
  reason: NotOfferedReason | null;
  toldBy: ExplanationView['told_by'];
  /** When what it rests on was told. */
  asOf?: number;
  /** Starts beside the time. */
  nearby?: Minute[];
};

type About = { calendar: { name: string; timeZone: string }; type: { name: string }; isPatient: boolean };

/** Why a time is not offered, as one says it to somebody who wants it. */
export function sentenceOf({ reason, nearby = [] }: Reason, { calendar, type, isPatient }: About): string {
  const who = calendar.name;
  const clock = nearby.map((start) => stamp(start, calendar.timeZone).slice(11, 16));
  switch (reason) {
    case null:
      return `${who} is free then.`;
    case 'past':
      return 'This time has passed.';
    case 'type_not_offered':
      return `${who} does not offer “${type.name}”.`;
    case 'booked':
      return isPatient ? 'This time is taken.' : `${who} has another visit then, or too close to it.`;
    case 'held':
      return `A booking for this time is being checked with ${PROVIDER}. If nothing came of it, the time is free again within about two minutes, or soon after ${PROVIDER} can be reached again.`;
    case 'list_is_old':
      return `${PROVIDER} offers this time now: the list of times was older.`;
    case 'notice':
      return `This is too soon: ${PROVIDER} takes no bookings at such short notice.`;
    case 'too_far_ahead':
      return `This is too far ahead: ${PROVIDER} takes no bookings for it yet.`;
    case 'block':
      return `${who} has time off then.`;
    case 'no_start':
      return clock.length > 0
        ? `Visits with ${who} begin at other times, such as ${clock.join(' and ')}.`
        : `Visits with ${who} begin at other times.`;
    case 'outside_hours':
      return `This seems to be outside the hours of ${who}: ${PROVIDER} has no times then, though nothing is booked.`;
    case 'unknown':
      return `${PROVIDER} does not offer this time, and does not say why.`;
  }
}
