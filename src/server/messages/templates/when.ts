import type { Asked } from '../message.ts';

/** "November 21, 2026 at 9:05 AM EST (14:05 UTC)": where the clinic is, and for who is elsewhere. */
export function wordsOfTime(at: string, timeZone: string): string {
  const format = (options: Intl.DateTimeFormatOptions) =>
    // Newer tables of the platform put a narrow space before AM, which some mail programs show as a box.
    new Intl.DateTimeFormat('en-US', options).format(new Date(at)).replaceAll('\u202f', ' ');
  const local = format({
    timeZone,
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  const utc = format({ timeZone: 'UTC', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return `${local} (${utc} UTC)`;
}

/** "with Firefox on Linux on November 21, 2026 at …": the device is one of our own words, never what was sent to us. */
export const wordsOfAsking = ({ device, at }: Asked, timeZone: string): string =>
  `${device ? `with ${device}` : 'with a device that did not tell its name'} on ${wordsOfTime(at, timeZone)}`;

/** "at 9:05 AM EST with Firefox on Linux", for a text message, which comes at once. */
export function shortWordsOfAsking({ device, at }: Asked, timeZone: string): string {
  const time = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(at));
  return `at ${time.replaceAll('\u202f', ' ')}${device ? ` with ${device}` : ''}`;
}
