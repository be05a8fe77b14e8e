import { EntryFrame } from '#web/portal/sign-in/entry-frame.tsx';
import { safeReturnPath } from '#web/portal/sign-in/request-sign-in.ts';
import { SignInForm } from '#web/portal/sign-in/sign-in-form.tsx';

export const metadata = { title: 'Sign in' };

type SignInPageProps = { searchParams: Promise<{ callbackUrl?: string | string[] }> };

export default async function SignInPage({ searchParams }: SignInPageProps) {
  const { callbackUrl } = await searchParams;
  return (
    <EntryFrame title="Sign in to your clinic" description="For staff. Patients sign in in their own app.">
      <SignInForm returnTo={safeReturnPath(callbackUrl)} />
    </EntryFrame>
  );
}
