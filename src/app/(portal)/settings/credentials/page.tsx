import { CredentialsPage } from '#portal/credentials/credentials-page.tsx';
import { services } from '#server/http/services.ts';

export const metadata = { title: 'API credentials' };

export default function Page() {
  return <CredentialsPage tokenUrl={`${services().config.issuer}/oauth2/token`} />;
}
