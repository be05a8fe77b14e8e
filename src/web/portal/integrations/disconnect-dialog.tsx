'use client';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';

/** What stops, and what continues. */
const CONSEQUENCES = {
  stripe: {
    name: 'Stripe',
    at: 'Stripe',
    happens: [
      'No one can subscribe here until Stripe is connected again, and payment links that you have sent stop working.',
      'At Stripe nothing ends: subscriptions that run there go on and are billed, and what happens to them is not seen here. To end them, cancel them first.',
      'Patients, past payments and subscriptions stay here to be read.',
      'This account cannot be connected again: connecting makes a new one, and patients give their cards again.',
    ],
  },
  acuity: {
    name: 'Acuity Scheduling',
    at: 'Acuity',
    happens: [
      'No times are offered, and no one can book, move or cancel an appointment here until Acuity is connected again.',
      'In Acuity nothing is canceled: appointments there go on, patients get its reminders, and what is changed there is not seen here.',
      'Appointments stay here to be read, and their video links go on working.',
      'The API key is deleted here, and Acuity is asked to send nothing more. You can connect the same account again: then everything continues where it stopped.',
    ],
  },
};

export type Disconnected = { provider: 'stripe' | 'acuity'; accountId: string };

/** Lists the consequences before the provider is disconnected. */
export function DisconnectDialog({ provider, accountId, onClose }: Disconnected & { onClose: () => void }) {
  const { integrations } = useTRPCClient();
  const queries = useQueryClient();
  const { name, at, happens } = CONSEQUENCES[provider];
  const disconnect = provider === 'stripe' ? integrations.disconnectStripe : integrations.disconnectAcuity;
  return (
    <ConfirmDialog
      title={`Disconnect ${name}?`}
      description={`The account ${accountId} stays yours, at ${at}.`}
      confirmLabel="Disconnect"
      keepLabel="Keep it connected"
      act={() => disconnect.mutate({ account_id: accountId })}
      done={`${name} is disconnected`}
      // Plans, slots and possible actions change: every loaded query is stale.
      refresh={() => queries.invalidateQueries()}
      onClose={onClose}
    >
      <ul className="grid list-disc gap-2 pl-5 text-[13px]">
        {happens.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
