import { VisitTest } from '#web/patient/visit/visit-test.tsx';

export const metadata = { title: 'Try out your video visit', referrer: 'no-referrer' };

export default function Page() {
  return <VisitTest />;
}
