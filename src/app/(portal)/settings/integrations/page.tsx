import { IntegrationsPage } from '#web/portal/integrations/integrations-page.tsx';

export const metadata = { title: 'Integrations' };

export default function Page() {
  return <IntegrationsPage />;
}
