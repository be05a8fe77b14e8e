'use client';
import { useQuery } from '@tanstack/react-query';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useRefreshApplications } from './use-refresh-applications.ts';

type RemoveOriginProps = { origin: string; listed: string[]; onClose: () => void };

export function RemoveOrigin({ origin, listed, onClose }: RemoveOriginProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { data: pages } = useQuery(trpc.applications.appAddresses.queryOptions({}));
  const leadsThere = Object.values(pages ?? {}).some((page) => page && new URL(page).origin === origin);
  const refresh = useRefreshApplications();
  const origins = listed.filter((other) => other !== origin);
  return (
    <ConfirmDialog
      title={`Remove ${origin}?`}
      description={`Patients who use your app there can no longer sign in or see anything.${
        leadsThere ? ' Messages that lead there no longer do.' : ''
      } You can list it again.`}
      confirmLabel="Remove website"
      act={() => client.applications.setAllowedOrigins.mutate({ origins })}
      done="Website removed"
      refresh={refresh}
      onClose={onClose}
    />
  );
}
