import { Visit } from '#portal/visit/visit.tsx';

export const metadata = { title: 'Your video visit', referrer: 'no-referrer' };

export default async function Page({ params }: { params: Promise<{ token: string }> }) {
  return <Visit token={decodeURIComponent((await params).token)} />;
}
