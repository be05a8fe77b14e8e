import { PatientsPage } from '#web/portal/patients/patients-page.tsx';

export const metadata = { title: 'Patients' };

export default function Page() {
  return <PatientsPage />;
}
