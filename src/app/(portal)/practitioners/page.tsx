import { PractitionersPage } from '#web/portal/practitioners/practitioners-page.tsx';

export const metadata = { title: 'Practitioners' };

export default function Page() {
  return <PractitionersPage />;
}
