import { openApiDocument } from '#contract/openapi.ts';
import type { OpenApiDocument } from '#portal/docs/open-api.ts';
import { type Group, readReference } from '#portal/docs/read-reference.ts';
import { ReferencePage } from '#portal/docs/reference-page.tsx';
import { services } from '#server/http/services.ts';

export const metadata = { title: 'API reference' };

let groups: Group[] | null = null;

export default function DocsPage() {
  const { environment, baseUrl, issuer, requestsPerMinute } = services().config;
  const deployment = { environment, baseUrl, tokenUrl: `${issuer}/oauth2/token`, requestsPerMinute };
  groups ??= readReference(openApiDocument(deployment) as OpenApiDocument);
  return <ReferencePage deployment={deployment} groups={groups} />;
}
