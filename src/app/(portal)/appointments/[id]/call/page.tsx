import { VisitCallPage } from '#web/portal/appointments/visit-call-page.tsx';
import { Requires } from '#web/portal/shell/requires.tsx';

export const metadata = { title: 'Video visit', referrer: 'no-referrer' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return (
    <Requires permission="visits:host">
      <VisitCallPage id={(await params).id} />
    </Requires>
  );
}
