import { Visit } from '#portal/visit/visit.tsx';

export const metadata = { title: 'Your video visit', referrer: 'no-referrer' };

export default function Page() {
  return <Visit />;
}
