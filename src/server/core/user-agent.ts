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
/** Common HTTP clients of servers, by the start of their header. */
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

/** Returns "Firefox on Linux": enough for a person to recognize a device, too little to track it. */
export function shortenUserAgent(userAgent: string | null): string | null {
  if (!userAgent) return null;
  const [browser, system] = [find(BROWSERS, userAgent), find(SYSTEMS, userAgent)];
  return browser && system ? `${browser} on ${system}` : (browser ?? system ?? null);
}

/**
 * Returns the same for the audit log, including HTTP clients of servers. Always one of the names above, because the
 * caller may write any text into the header.
 */
export const familyOfAgent = (userAgent: string | null): string | null =>
  userAgent ? (shortenUserAgent(userAgent) ?? find(PROGRAMS, userAgent) ?? 'another program') : null;
