'use client';
import type { ApplicationView } from '#contract/settings.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { useRefreshApplications } from './use-refresh-applications.ts';

export function RevokeApplication({ application, onClose }: { application: ApplicationView; onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useRefreshApplications();
  return (
    <ConfirmDialog
      title={`Revoke ${application.name}?`}
      description="Its secrets and tokens stop working at once, its webhook receivers are switched off, and it cannot be brought back."
      confirmLabel="Revoke application"
      act={() => client.applications.revoke.mutate({ id: application.id })}
      done="Application revoked"
      refresh={refresh}
      onClose={onClose}
    />
  );
}
