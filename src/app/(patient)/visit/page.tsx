import { Visit } from '#web/patient/visit/visit.tsx';

export const metadata = { title: 'Your video visit', referrer: 'no-referrer' };

export default function Page() {
  return <Visit />;
}
