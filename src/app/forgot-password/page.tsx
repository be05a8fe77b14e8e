import { EntryFrame } from '#web/portal/sign-in/entry-frame.tsx';
import { ForgotPasswordForm } from '#web/portal/sign-in/forgot-password-form.tsx';

export const metadata = { title: 'Forgotten password' };

export default function Page() {
  return (
    <EntryFrame title="Forgot your password?" description="For staff. You get a link to set a new one.">
      <ForgotPasswordForm />
    </EntryFrame>
  );
}
