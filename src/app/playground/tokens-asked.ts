/** They end up in a program's text: nothing else than a token's own characters does. */
const TOKEN = /^care_[\w.-]{1,1000}$/;

/** The configuration tokens that an address names; null without any. */
export function tokensAsked(
  query: URLSearchParams,
): { passwordless: string; credentials: string } | null | 'unreadable' {
  if (query.size === 0) return null;
  const [passwordless = '', credentials = ''] = [query.get('passwordless') ?? '', query.get('credentials') ?? ''];
  return query.size === 2 && TOKEN.test(passwordless) && TOKEN.test(credentials)
    ? { passwordless, credentials }
    : 'unreadable';
}
