import { ChartExportPage } from '#web/portal/patient-record/chart-export-page.tsx';
import { Requires } from '#web/portal/shell/requires.tsx';

export const metadata = { title: 'Everything on record' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return (
    <Requires permission="charts:export">
      <ChartExportPage id={(await params).id} />
    </Requires>
  );
}
