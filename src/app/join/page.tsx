import { ClinicLookProvider } from '#portal/patient-pages/clinic-look-provider.tsx';
import { PasswordLink } from '#portal/sign-in/password-link.tsx';

export const metadata = { title: 'Join the team', referrer: 'no-referrer' };

export default function Page() {
  return (
    <ClinicLookProvider>
      <PasswordLink purpose="invitation" />
    </ClinicLookProvider>
  );
}
