import { PlansPage } from '#web/portal/plans/plans-page.tsx';

export const metadata = { title: 'Plans' };

export default function Page() {
  return <PlansPage />;
}
