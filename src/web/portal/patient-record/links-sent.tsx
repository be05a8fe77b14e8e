'use client';
import { useQuery } from '@tanstack/react-query';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useSignIn } from '../patient-sign-in/use-sign-in.ts';

const loadLinksList = () => import('./links-list.tsx').then((module) => module.LinksList);

/** Links that the patient was sent: to pay, and to accept an invitation to sign in. */
export function LinksSent({ patientId }: { patientId: string }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const input = { patient_id: patientId };
  const sent = useQuery({
    ...trpc.subscriptions.listCheckoutLinks.queryOptions(input),
    // With the code that shows them, so that a page which waits for the links does not shift.
    queryFn: async ({ signal }) => {
      const [found] = await Promise.all([
        client.subscriptions.listCheckoutLinks.query(input, { signal }),
        loadLinksList(),
      ]);
      return found;
    },
  });
  const signIn = useSignIn(patientId);
  const [links, invitations] = [sent.data ?? [], signIn.data?.invitations ?? []];
  const isAny = links.length + invitations.length > 0;
  const LinksList = useLazyComponent(loadLinksList, isAny, () => {});
  return isAny && LinksList ? <LinksList links={links} invitations={invitations} /> : null;
}
