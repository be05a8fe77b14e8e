import { notFound } from 'next/navigation';
import { onlyClinicTokens } from '#server/http/only-clinic.ts';
import { services } from '#server/http/services.ts';
import { packApp } from '../pack-app.ts';
import { tokensAsked } from '../tokens-asked.ts';

/**
 * The playground's app to take along, of the clinic whose public tokens are given, or else of the only one; to nobody in
 * production, as the playground.
 */
export async function GET(request: Request): Promise<Response> {
  const { environment, publicUrl } = services().config;
  const asked = tokensAsked(new URL(request.url).searchParams);
  if (environment !== 'sandbox' || asked === 'unreadable') notFound();
  const tokens = asked ?? (await onlyClinicTokens(services()));
  return new Response(packApp({ tokens, sdk: `${publicUrl}/packages/carelane-auth-sdk.tgz` }), {
    headers: { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="carelane-app.zip"' },
  });
}
