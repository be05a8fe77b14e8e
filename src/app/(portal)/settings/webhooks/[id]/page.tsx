import { ReceiverPage } from '#web/portal/webhooks/receiver-page.tsx';

export const metadata = { title: 'Webhook receiver' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return <ReceiverPage id={(await params).id} />;
}
