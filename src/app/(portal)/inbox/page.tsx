import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { InboxPage } from '#portal/inbox/inbox-page.tsx';
import { readStaffPage } from '#server/http/staff-page.ts';

export const metadata = { title: 'Inbox' };

export default async function Page() {
  if ((await readStaffPage(await headers()))?.environment !== 'sandbox') notFound();
  return <InboxPage />;
}
