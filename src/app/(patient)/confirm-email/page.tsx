import { ConfirmEmail } from '#web/patient/confirm-email/confirm-email.tsx';

export const metadata = { title: 'Confirm your email address', referrer: 'no-referrer' };

export default function Page() {
  return <ConfirmEmail />;
}
