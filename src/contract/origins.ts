import { z } from 'zod';

export const MAX_ORIGINS = 20;
const MAX_CHARACTERS = 300;
const MAX_HOST_CHARACTERS = 253;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const LOCAL = /^https?:\/\/(([a-z0-9-]+\.)*localhost\.?|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/;

/** Whether a browser's `Origin` is a page that was served by the reader's own machine (RFC 6761 §6.3 for the names). */
export const isLocalOrigin = (origin: string): boolean => LOCAL.test(origin);

/** An origin as a browser writes it in its `Origin` header (RFC 6454 §6.2), or why it is none that can be listed. */
function readOrigin(text: string): { origin: string } | { refused: string } {
  const [, scheme, authority = '', rest] = /^([a-z]+):\/\/([^/?#\\]*)(.*)$/is.exec(text) ?? [];
  if (!scheme || authority === '') return { refused: 'Write it whole, as in https://app.example.org' };
  if (text.includes('*')) return { refused: 'Write each address by itself, without *' };
  if (authority.includes('@')) return { refused: 'Leave out the user name and the password' };
  if (rest) return { refused: 'Leave out everything after the name and port, a slash too' };
  const url = URL.canParse(text) ? new URL(text) : null;
  // A percent-encoded or padded name would be read as another than was written.
  if (!url || /[%\s]/.test(authority) || !isHost(url.hostname))
    return { refused: 'This is not an address of a website' };
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocalOrigin(url.origin)))
    return { refused: 'Begin it with https://' };
  return { origin: url.origin };
}

const isHost = (name: string): boolean =>
  name.startsWith('[') || (name.length <= MAX_HOST_CHARACTERS && name.split('.').every((label) => LABEL.test(label)));

/** `https://host[:port]`, or http on the developer's own machine; comes out as browsers write it. */
export const WebOrigin = z
  .string()
  .trim()
  .max(MAX_CHARACTERS)
  .transform((text, { addIssue }) => {
    const read = readOrigin(text);
    if ('origin' in read) return read.origin;
    addIssue({ code: 'custom', message: read.refused });
    return z.NEVER;
  });

/** The whole list; what stands twice counts once. */
export const SetAllowedOriginsInput = z.strictObject({
  origins: z
    .array(WebOrigin)
    .max(MAX_ORIGINS, `At most ${MAX_ORIGINS} can be listed`)
    .transform((origins) => [...new Set(origins)].sort()),
});
export type SetAllowedOriginsInput = z.infer<typeof SetAllowedOriginsInput>;
