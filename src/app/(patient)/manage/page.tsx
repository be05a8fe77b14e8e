import { ManagePage } from '#web/patient/manage/manage-page.tsx';

export const metadata = { title: 'Your subscription', referrer: 'no-referrer' };

export default function Page() {
  return <ManagePage />;
}
