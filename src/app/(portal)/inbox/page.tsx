import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { getPageUser } from '#server/http/page-data.ts';
import { InboxPage } from '#web/portal/inbox/inbox-page.tsx';

export const metadata = { title: 'Inbox' };

export default async function Page() {
  if ((await getPageUser(await headers()))?.environment !== 'sandbox') notFound();
  return <InboxPage />;
}
