import { AppointmentPage } from '#web/portal/appointments/appointment-page.tsx';

export const metadata = { title: 'Appointment' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return <AppointmentPage id={(await params).id} />;
}
