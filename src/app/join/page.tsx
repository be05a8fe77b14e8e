import { PasswordLink } from '#web/portal/sign-in/password-link.tsx';
import { ClinicLookProvider } from '#web/ui/links/clinic-look-provider.tsx';

export const metadata = { title: 'Join the team', referrer: 'no-referrer' };

export default function Page() {
  return (
    <ClinicLookProvider>
      <PasswordLink purpose="invitation" />
    </ClinicLookProvider>
  );
}
