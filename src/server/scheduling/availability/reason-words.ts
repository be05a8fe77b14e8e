import type { ExplanationView, NotOfferedReason } from '#contract/availability.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { type Minute, stamp } from '#server/core/zone.ts';

const PROVIDER = SCHEDULING_PROVIDER.name;

/** The reason, its source, and details for the message. */
export type Reason = {
  reason: NotOfferedReason | null;
  toldBy: ExplanationView['told_by'];
  /** When the source data was read, in ms. */
  asOf?: number;
  /** The starts before and after the time. */
  nearby?: Minute[];
};

type About = { calendar: { name: string; timeZone: string }; type: { name: string }; isPatient: boolean };

/** Returns the message that explains why a slot is not offered. */
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
