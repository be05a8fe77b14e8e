import { TodayPage } from '#web/portal/today/today-page.tsx';

export const metadata = { title: 'Today' };

export default function Page() {
  return <TodayPage />;
}
