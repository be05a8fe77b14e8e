import { Invitation } from '#web/patient/invitation/invitation.tsx';

export const metadata = { title: 'Your invitation', referrer: 'no-referrer' };

export default function Page() {
  return <Invitation />;
}
