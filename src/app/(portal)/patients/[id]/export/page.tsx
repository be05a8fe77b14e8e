import { ChartExportPage } from '#portal/patient-record/chart-export-page.tsx';
import { AdminOnly } from '#portal/shell/admin-only.tsx';

export const metadata = { title: 'All that is kept' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return (
    <AdminOnly>
      <ChartExportPage id={(await params).id} />
    </AdminOnly>
  );
}
