import { SubscriptionsPage } from '#web/portal/subscriptions/subscriptions-page.tsx';

export const metadata = { title: 'Subscriptions' };

export default function Page() {
  return <SubscriptionsPage />;
}
