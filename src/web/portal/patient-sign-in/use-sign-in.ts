'use client';
import { useQuery } from '@tanstack/react-query';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';

export const loadSignInDetails = () => import('./sign-in-details.tsx').then((module) => module.SignInDetails);

/** How the patient signs in. */
export function useSignIn(patientId: string) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const input = { patient_id: patientId };
  return useQuery({
    ...trpc.patientSignIn.get.queryOptions(input),
    // With the code that shows it, so that a page which waits for it does not shift.
    queryFn: async ({ signal }) => {
      const [signIn] = await Promise.all([client.patientSignIn.get.query(input, { signal }), loadSignInDetails()]);
      return signIn;
    },
  });
}
