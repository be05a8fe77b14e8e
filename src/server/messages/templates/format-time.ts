import type { RequestedBy } from '../message.ts';

/** Newer ICU data puts narrow and non-breaking spaces before AM/PM, which some mail programs show as boxes. */
const format = (at: string, language: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(language, options).format(new Date(at)).replace(/[\u202f\u00a0]/g, ' ');

/** "November 21, 2026 at 9:05 AM EST (14:05 UTC)": in the clinic's time zone, and for readers in others. */
export function dateAndTime(at: string, timeZone: string, language: string): string {
  const local = format(at, language, {
    timeZone,
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  const utc = format(at, language, { timeZone: 'UTC', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return `${local} (${utc} UTC)`;
}

/** "9:05 AM EST", for a text message, which arrives immediately. */
export const shortTime = (at: string, timeZone: string, language: string): string =>
  format(at, language, { timeZone, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' });

export const englishTime = (at: string, timeZone: string): string => dateAndTime(at, timeZone, 'en-US');

/**
 * "with Firefox on Linux on November 21, 2026 at …": the device name is from a fixed list, never text that the client
 * sent.
 */
export const englishRequest = ({ device, at }: RequestedBy, timeZone: string): string =>
  `${device ? `with ${device}` : 'with a device that did not tell its name'} on ${englishTime(at, timeZone)}`;

/** "at 9:05 AM EST with Firefox on Linux". */
export const shortEnglishRequest = ({ device, at }: RequestedBy, timeZone: string): string =>
  `at ${shortTime(at, timeZone, 'en-US')}${device ? ` with ${device}` : ''}`;
