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
