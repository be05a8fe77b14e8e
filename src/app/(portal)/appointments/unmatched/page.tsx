import { Requires } from '#web/portal/shell/requires.tsx';
import { UnmatchedPage } from '#web/portal/unmatched/unmatched-page.tsx';

export const metadata = { title: 'Bookings to match' };

export default function Page() {
  return (
    <Requires permission="unmatched:write">
      <UnmatchedPage />
    </Requires>
  );
}
