import { WebhooksPage } from '#web/portal/webhooks/webhooks-page.tsx';

export const metadata = { title: 'Webhooks' };

export default function Page() {
  return <WebhooksPage />;
}
