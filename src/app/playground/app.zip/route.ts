import { notFound } from 'next/navigation';
import { onlyClinicTokens } from '#server/http/only-clinic.ts';
import { services } from '#server/http/services.ts';
import { packApp } from '../pack-app.ts';

/**
 * Downloads the playground's app with the public tokens in the query, or else those of the only clinic; 404 in
 * production, like the playground.
 */
export async function GET(request: Request): Promise<Response> {
  const { environment, publicUrl } = services().config;
  const requestedTokens = readRequestedTokens(new URL(request.url).searchParams);
  if (environment !== 'sandbox' || requestedTokens === 'unreadable') notFound();
  const tokens = requestedTokens ?? (await onlyClinicTokens(services()));
  return new Response(packApp({ tokens, sdk: `${publicUrl}/packages/carelane-auth-sdk.tgz` }), {
    headers: { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="carelane-app.zip"' },
  });
}

/** Tokens are inserted into source code, so only these characters are accepted. */
const TOKEN = /^care_[\w.-]{1,1000}$/;

/** Reads the configuration tokens from the query; null without any. */
function readRequestedTokens(
  query: URLSearchParams,
): { passwordless: string; credentials: string } | null | 'unreadable' {
  if (query.size === 0) return null;
  const [passwordless = '', credentials = ''] = [query.get('passwordless') ?? '', query.get('credentials') ?? ''];
  return query.size === 2 && TOKEN.test(passwordless) && TOKEN.test(credentials)
    ? { passwordless, credentials }
    : 'unreadable';
}
