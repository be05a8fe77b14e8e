'use client';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { type ReactNode, useCallback, useState } from 'react';
import type { MeView } from '#contract/settings.ts';
import { LeaveProvider } from '#web/ui/leave-provider.tsx';
import { useGo } from '#web/ui/unsaved.tsx';
import { ServerProvider } from '../../trpc-client.tsx';
import { useLiveChanges } from '../live/use-live-changes.ts';
import { MeProvider, useMe } from '../me.tsx';
import { PortalShell } from '../shell/portal-shell.tsx';
import { SessionWatch } from '../shell/session-watch.tsx';
import { type Making, usePaletteActions } from './use-palette-actions.ts';
import { usePaletteSearch } from './use-palette-search.ts';

const TwoStepGate = dynamic(() => import('../account/two-step-gate.tsx').then((module) => module.TwoStepGate));
const PatientDialog = dynamic(() => import('../patients/patient-dialog.tsx').then((module) => module.PatientDialog), {
  ssr: false,
});
const BookDialog = dynamic(() => import('../appointments/book-dialog.tsx').then((module) => module.BookDialog), {
  ssr: false,
});
const SubscribeDialog = dynamic(
  () => import('../subscriptions/subscribe-dialog.tsx').then((module) => module.SubscribeDialog),
  { ssr: false },
);

/** The portal's shell with its connection to the server and the command palette. */
export function PortalFrame({ me, children }: { me: MeView; children: ReactNode }) {
  return (
    <ServerProvider>
      <MeProvider me={me}>
        <LeaveProvider>{me.two_step_due ? <TwoStepGate /> : <ConnectedShell>{children}</ConnectedShell>}</LeaveProvider>
        <SessionWatch />
      </MeProvider>
    </ServerProvider>
  );
}

function ConnectedShell({ children }: { children: ReactNode }) {
  const { user, tenant, environment } = useMe();
  const router = useRouter();
  const [making, setMaking] = useState<Making | null>(null);
  useLiveChanges();
  const go = useGo();
  const search = usePaletteSearch();
  // Replaces a dialog that is open already.
  const make = useCallback(
    (what: Making) => (making && making !== what ? go(() => setMaking(what)) : setMaking(what)),
    [making, go],
  );
  const actions = usePaletteActions(make);
  const dialog = { open: true, onOpenChange: (open: boolean) => !open && setMaking(null) };
  return (
    <PortalShell user={user} clinic={tenant.name} environment={environment} search={search} actions={actions}>
      {children}
      {(making === 'patient' || making === 'invitation') && (
        <PatientDialog
          {...dialog}
          invite={making === 'invitation'}
          onSaved={(patient) => router.push(`/patients/${patient.id}`)}
        />
      )}
      {making === 'visit' && <BookDialog {...dialog} />}
      {making === 'subscription' && <SubscribeDialog {...dialog} />}
    </PortalShell>
  );
}
