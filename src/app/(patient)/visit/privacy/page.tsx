import { VisitPrivacy } from '#web/patient/visit/visit-privacy.tsx';

export const metadata = { title: 'Privacy of your video visit', referrer: 'no-referrer' };

export default function Page() {
  return <VisitPrivacy />;
}
