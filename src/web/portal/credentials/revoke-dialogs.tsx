'use client';
import { useQuery } from '@tanstack/react-query';
import type { ApplicationView } from '#contract/settings.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { useInvalidate, useTRPC, useTRPCClient } from '../../trpc-client.tsx';

export function RevokeApplication({ application, onClose }: { application: ApplicationView; onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useInvalidate('applications');
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

type RevokeSecretProps = {
  application: ApplicationView;
  secret: ApplicationView['secrets'][number];
  onClose: () => void;
};

export function RevokeSecret({ application, secret, onClose }: RevokeSecretProps) {
  const client = useTRPCClient();
  const refresh = useInvalidate('applications');
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

type RemoveOriginProps = { origin: string; listed: string[]; onClose: () => void };

export function RemoveOrigin({ origin, listed, onClose }: RemoveOriginProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { data: pages } = useQuery(trpc.applications.appAddresses.queryOptions({}));
  const isLinked = Object.values(pages ?? {}).some((page) => page && new URL(page).origin === origin);
  const refresh = useInvalidate('applications');
  const origins = listed.filter((other) => other !== origin);
  return (
    <ConfirmDialog
      title={`Remove ${origin}?`}
      description={`Patients who use your app there can no longer sign in or see anything.${
        isLinked ? ' Messages that lead there no longer do.' : ''
      } You can list it again.`}
      confirmLabel="Remove website"
      act={() => client.applications.setAllowedOrigins.mutate({ origins })}
      done="Website removed"
      refresh={refresh}
      onClose={onClose}
    />
  );
}
