import { MergePage } from '#web/portal/merge-patients/merge-page.tsx';
import { Requires } from '#web/portal/shell/requires.tsx';

export const metadata = { title: 'Merge two records' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return (
    <Requires permission="patients:merge">
      <MergePage id={(await params).id} />
    </Requires>
  );
}
