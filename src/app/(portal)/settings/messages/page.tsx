import { MessagesPage } from '#web/portal/message-settings/messages-page.tsx';

export const metadata = { title: 'Messages' };

export default function Page() {
  return <MessagesPage />;
}
