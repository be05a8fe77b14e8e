import type { OpenApiDocument } from '#portal/docs/open-api.ts';
import { readReference } from '#portal/docs/read-reference.ts';
import { ReferencePage } from '#portal/docs/reference-page.tsx';
import { services } from '#server/http/services.ts';

export const metadata = { title: 'API reference' };

export default function DocsPage() {
  const { config, kept } = services();
  const { environment, baseUrl, issuer, requestsPerMinute } = config;
  const deployment = { environment, baseUrl, tokenUrl: `${issuer}/oauth2/token`, requestsPerMinute };
  const groups = readReference(JSON.parse(kept.doors.openApi()) as OpenApiDocument);
  return <ReferencePage deployment={deployment} groups={groups} />;
}
