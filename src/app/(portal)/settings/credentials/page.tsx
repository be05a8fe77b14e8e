import { CredentialsPage } from '#portal/credentials/credentials-page.tsx';

export const metadata = { title: 'API credentials' };

export default function Page() {
  return <CredentialsPage />;
}
