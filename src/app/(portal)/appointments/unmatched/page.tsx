import { AdminOnly } from '#web/portal/shell/admin-only.tsx';
import { UnmatchedPage } from '#web/portal/unmatched/unmatched-page.tsx';

export const metadata = { title: 'Bookings to match' };

export default function Page() {
  return (
    <AdminOnly>
      <UnmatchedPage />
    </AdminOnly>
  );
}
