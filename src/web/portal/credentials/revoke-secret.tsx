'use client';
import type { ApplicationView } from '#contract/settings.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { useRefreshApplications } from './use-refresh-applications.ts';

type RevokeSecretProps = {
  application: ApplicationView;
  secret: ApplicationView['secrets'][number];
  onClose: () => void;
};

export function RevokeSecret({ application, secret, onClose }: RevokeSecretProps) {
  const client = useTRPCClient();
  const refresh = useRefreshApplications();
  return (
    <ConfirmDialog
      title={`Revoke the secret ending in ${secret.hint}?`}
      description={`Servers of ${application.name} that still use it can no longer sign in.`}
      confirmLabel="Revoke secret"
      act={() => client.applications.revokeSecret.mutate({ id: application.id, secret_id: secret.id })}
      done="Secret revoked"
      refresh={refresh}
      onClose={onClose}
    />
  );
}
