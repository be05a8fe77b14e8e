import { SubscriptionPage } from '#web/portal/subscriptions/subscription-page.tsx';

export const metadata = { title: 'Subscription' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return <SubscriptionPage id={(await params).id} />;
}
