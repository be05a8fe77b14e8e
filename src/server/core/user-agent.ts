const BROWSERS: [string, RegExp][] = [
  ['Edge', /\bEdg/],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b((Headless)?Chrome|CriOS)\//],
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
/** What server applications mostly are, by how their header begins. */
const PROGRAMS: [string, RegExp][] = [
  ['curl', /^curl\//],
  ['Node.js', /^(node|undici|axios)\b/],
  ['Python', /^python\b/i],
  ['Go', /^Go-http-client\//],
  ['Java', /^(Java|Apache-HttpClient)\//],
  ['PHP', /^(GuzzleHttp|PHP)\b/],
  ['Ruby', /^(Ruby|Faraday)\b/],
  ['.NET', /^(RestSharp|\.NET)\b/],
  ['Postman', /^PostmanRuntime\//],
];

const find = (names: [string, RegExp][], userAgent: string) =>
  names.find(([, pattern]) => pattern.test(userAgent))?.[0];

/** "Firefox on Linux": enough for a person to recognise a device, and nothing to track it by. */
export function shortenUserAgent(userAgent: string | null): string | null {
  if (!userAgent) return null;
  const [browser, system] = [find(BROWSERS, userAgent), find(SYSTEMS, userAgent)];
  return browser && system ? `${browser} on ${system}` : (browser ?? system ?? null);
}

/**
 * The same for the audit log, with the programs that servers are: always one of our own words, for the header is the
 * caller's, who may write anything into it.
 */
export const familyOfAgent = (userAgent: string | null): string | null =>
  userAgent ? (shortenUserAgent(userAgent) ?? find(PROGRAMS, userAgent) ?? 'another program') : null;
