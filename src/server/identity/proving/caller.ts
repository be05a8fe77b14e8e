import type { Context } from '../../core/context.ts';
import type { Asked } from '../../messages/message.ts';

/** What the door knows of a request before anybody has proved who they are. */
export type Caller = {
  ip: string;
  userAgent: string | null;
  requestId: string;
  /** The same for a repetition of a step whose answer was lost. */
  idempotencyKey: string | null;
  /** Told whose request it turns out to be: which websites may read the answer hangs on it. */
  onTenant?: (tenantId: string) => void;
};

/** What a message says of who asked for it, in words of ours alone. */
export const askedBy = (ctx: Context, { userAgent }: Pick<Caller, 'userAgent'>): Asked => ({
  device: shortenUserAgent(userAgent),
  at: ctx.clock.now().toISOString(),
});

const BROWSERS: [string, RegExp][] = [
  ['Edge', /\bEdg/],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
  ['an app', /\b(okhttp|CFNetwork|Expo|ReactNative|Dart)\b/i],
];
const SYSTEMS: [string, RegExp][] = [
  ['iOS', /\b(iPhone|iPad|iOS|CFNetwork)\b/],
  ['Android', /\b(Android|okhttp)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/** "Firefox on Linux": enough for a person to recognise a device, and nothing to track it by. */
export function shortenUserAgent(userAgent: string | null): string | null {
  if (!userAgent) return null;
  const find = (names: [string, RegExp][]) => names.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  return browser && system ? `${browser} on ${system}` : (browser ?? system ?? null);
}
