import { ClinicPage } from '#web/portal/clinic/clinic-page.tsx';

export const metadata = { title: 'Clinic' };

export default function Page() {
  return <ClinicPage />;
}
