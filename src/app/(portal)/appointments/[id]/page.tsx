import { AppointmentPage } from '#web/portal/appointments/appointment-page.tsx';

export const metadata = { title: 'Visit' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return <AppointmentPage id={(await params).id} />;
}
