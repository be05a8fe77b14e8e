'use client';
import type { PatientView } from '#contract/patients.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { DataTableSkeleton } from '#web/ui/skeleton.tsx';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { loadSignInDetails, useSignIn } from './use-sign-in.ts';

/** How the patient signs in, and their sessions: for support, and for a lost phone. */
export function SignInCard({ patient }: { patient: PatientView }) {
  const { data, error, refetch } = useSignIn(patient.id);
  const SignInDetails = useLazyComponent(loadSignInDetails, data !== undefined, () => {});
  if (data && SignInDetails && !error) return <SignInDetails patient={patient} signIn={data} />;
  return (
    <Card aria-label="Sign-in">
      <CardHeader title="Sign-in" />
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <DataTableSkeleton columns={1} />}
    </Card>
  );
}
