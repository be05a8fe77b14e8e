import { services } from '#server/http/services.ts';
import { CredentialsPage } from '#web/portal/credentials/credentials-page.tsx';

export const metadata = { title: 'API credentials' };

export default function Page() {
  const { issuer, baseUrl } = services().config;
  return <CredentialsPage addresses={{ tokenUrl: `${issuer}/oauth2/token`, apiUrl: baseUrl }} />;
}
