import { CredentialsPage } from '#portal/credentials/credentials-page.tsx';
import { services } from '#server/http/services.ts';

export const metadata = { title: 'API credentials' };

export default function Page() {
  const { issuer, baseUrl } = services().config;
  return <CredentialsPage addresses={{ tokenUrl: `${issuer}/oauth2/token`, apiUrl: baseUrl }} />;
}
