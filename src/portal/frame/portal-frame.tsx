'use client';
import dynamic from 'next/dynamic';
import type { ReactNode } from 'react';
import type { MeView } from '#contract/settings.ts';
import { MeProvider, useMe } from '../me.tsx';
import { usePatientJumps } from '../patients/use-patient-search.ts';
import { PortalShell } from '../shell/portal-shell.tsx';
import { SessionWatch } from '../shell/session-watch.tsx';
import { ServerProvider } from '../trpc-client.tsx';

const TwoStepGate = dynamic(() => import('../account/two-step-gate.tsx').then((module) => module.TwoStepGate));

/** The shell with its connections: the server, and the patients behind the palette. */
export function PortalFrame({ me, children }: { me: MeView; children: ReactNode }) {
  return (
    <ServerProvider>
      <MeProvider me={me}>
        {me.two_step_due ? <TwoStepGate /> : <ConnectedShell>{children}</ConnectedShell>}
        <SessionWatch />
      </MeProvider>
    </ServerProvider>
  );
}

function ConnectedShell({ children }: { children: ReactNode }) {
  const me = useMe();
  const searchPatients = usePatientJumps();
  return (
    <PortalShell user={me.user} clinic={me.tenant.name} environment={me.environment} searchPatients={searchPatients}>
      {children}
    </PortalShell>
  );
}
