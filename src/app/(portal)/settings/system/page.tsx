import { SystemPage } from '#web/portal/system/system-page.tsx';

export const metadata = { title: 'System' };

export default function Page() {
  return <SystemPage />;
}
