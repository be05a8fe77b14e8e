import { PatientPage } from '#web/portal/patient-record/patient-page.tsx';

export const metadata = { title: 'Patient' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return <PatientPage id={(await params).id} />;
}
