'use client';
import type { ReactNode } from 'react';
import type { MeView } from '#contract/settings.ts';
import { usePatientJumps } from '../patients/use-patient-search.ts';
import { ServerProvider } from '../trpc-client.tsx';
import { PortalShell } from './portal-shell.tsx';

/** The shell with its connections: the server, and the patients behind the palette. */
export function PortalFrame({ me, children }: { me: MeView; children: ReactNode }) {
  return (
    <ServerProvider>
      <ConnectedShell me={me}>{children}</ConnectedShell>
    </ServerProvider>
  );
}

function ConnectedShell({ me, children }: { me: MeView; children: ReactNode }) {
  const searchPatients = usePatientJumps();
  return (
    <PortalShell user={me.user} clinic={me.tenant.name} environment={me.environment} searchPatients={searchPatients}>
      {children}
    </PortalShell>
  );
}
