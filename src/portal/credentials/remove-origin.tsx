'use client';
import { ConfirmDialog } from '#portal/ui/confirm-dialog.tsx';
import { useTRPCClient } from '../trpc-client.tsx';
import { useRefreshApplications } from './use-refresh-applications.ts';

type RemoveOriginProps = { origin: string; listed: string[]; onClose: () => void };

export function RemoveOrigin({ origin, listed, onClose }: RemoveOriginProps) {
  const client = useTRPCClient();
  const refresh = useRefreshApplications();
  const origins = listed.filter((other) => other !== origin);
  return (
    <ConfirmDialog
      title={`Remove ${origin}?`}
      description="Patients who use your app there can no longer sign in or see anything. You can list it again."
      confirmLabel="Remove website"
      act={() => client.applications.setAllowedOrigins.mutate({ origins })}
      done="Website removed"
      refresh={refresh}
      onClose={onClose}
    />
  );
}
