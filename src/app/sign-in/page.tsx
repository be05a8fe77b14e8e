import { safeReturnPath } from '#portal/sign-in/safe-return-path.ts';
import { SignInForm } from '#portal/sign-in/sign-in-form.tsx';
import { Wordmark } from '#portal/ui/logo.tsx';

export const metadata = { title: 'Sign in' };

type SignInPageProps = { searchParams: Promise<{ callbackUrl?: string | string[] }> };

export default async function SignInPage({ searchParams }: SignInPageProps) {
  const { callbackUrl } = await searchParams;
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-sm">
        <Wordmark />
        <h1 className="mt-8 text-xl font-semibold tracking-tight">Sign in to your clinic</h1>
        <p className="mt-1 mb-6 text-muted">For staff. Patients sign in in their own app.</p>
        <SignInForm returnTo={safeReturnPath(callbackUrl)} />
      </div>
    </main>
  );
}
