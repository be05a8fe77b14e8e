import { VisitCallPage } from '#web/portal/appointments/visit-call-page.tsx';

export const metadata = { title: 'Video visit', referrer: 'no-referrer' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  return <VisitCallPage id={(await params).id} />;
}
