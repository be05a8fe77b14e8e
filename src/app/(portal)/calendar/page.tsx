import { CalendarPage } from '#web/portal/calendar/calendar-page.tsx';

export const metadata = { title: 'Calendar' };

export default function Page() {
  return <CalendarPage />;
}
