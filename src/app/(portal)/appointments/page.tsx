import { AppointmentsPage } from '#web/portal/appointments/appointments-page.tsx';

export const metadata = { title: 'Appointments' };

export default function Page() {
  return <AppointmentsPage />;
}
