import { notFound } from 'next/navigation';
import { onlyClinicTokens } from '#server/http/only-clinic.ts';
import { services } from '#server/http/services.ts';
import { packApp } from '../pack-app.ts';
import { readRequestedTokens } from '../requested-tokens.ts';

/**
 * Downloads the playground's app with the public tokens in the query, or else those of the only clinic; 404 in
 * production, like the playground.
 */
export async function GET(request: Request): Promise<Response> {
  const { environment, publicUrl } = services().config;
  const asked = readRequestedTokens(new URL(request.url).searchParams);
  if (environment !== 'sandbox' || asked === 'unreadable') notFound();
  const tokens = asked ?? (await onlyClinicTokens(services()));
  return new Response(packApp({ tokens, sdk: `${publicUrl}/packages/carelane-auth-sdk.tgz` }), {
    headers: { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="carelane-app.zip"' },
  });
}
