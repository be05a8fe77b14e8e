/** Tokens are inserted into source code, so only these characters are accepted. */
const TOKEN = /^care_[\w.-]{1,1000}$/;

/** Reads the configuration tokens from the query; null without any. */
export function readRequestedTokens(
  query: URLSearchParams,
): { passwordless: string; credentials: string } | null | 'unreadable' {
  if (query.size === 0) return null;
  const [passwordless = '', credentials = ''] = [query.get('passwordless') ?? '', query.get('credentials') ?? ''];
  return query.size === 2 && TOKEN.test(passwordless) && TOKEN.test(credentials)
    ? { passwordless, credentials }
    : 'unreadable';
}
