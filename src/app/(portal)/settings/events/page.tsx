import { EventsPage } from '#web/portal/events/events-page.tsx';

export const metadata = { title: 'Events' };

export default function Page() {
  return <EventsPage />;
}
