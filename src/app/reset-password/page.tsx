import { ClinicLookProvider } from '#web/patient/frame/clinic-look-provider.tsx';
import { PasswordLink } from '#web/portal/sign-in/password-link.tsx';

export const metadata = { title: 'Set a new password', referrer: 'no-referrer' };

export default function Page() {
  return (
    <ClinicLookProvider>
      <PasswordLink purpose="reset" />
    </ClinicLookProvider>
  );
}
