import { ChartExportPage } from '#web/portal/patient-record/chart-export-page.tsx';
import { AdminOnly } from '#web/portal/shell/admin-only.tsx';

export const metadata = { title: 'All that is kept' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return (
    <AdminOnly>
      <ChartExportPage id={(await params).id} />
    </AdminOnly>
  );
}
