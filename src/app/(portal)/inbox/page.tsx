import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { getPageUser } from '#server/http/page-data.ts';
import { InboxPage } from '#web/portal/inbox/inbox-page.tsx';
import { Requires } from '#web/portal/shell/requires.tsx';

export const metadata = { title: 'Inbox' };

export default async function Page() {
  if ((await getPageUser(await headers()))?.environment !== 'sandbox') notFound();
  return (
    <Requires permission="patients:write">
      <InboxPage />
    </Requires>
  );
}
