'use client';
import {
  BookOpen,
  CalendarPlus,
  CreditCard,
  ListPlus,
  LogOut,
  Monitor,
  Moon,
  ReceiptText,
  Send,
  Sun,
  UserPlus,
} from 'lucide-react';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { useTheme } from 'next-themes';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { MeView } from '#contract/settings.ts';
import type { PaletteAction, PaletteHit } from '#web/ui/command-palette.tsx';
import { lazyComponent, lazyPart } from '#web/ui/lazy-component.ts';
import { LeaveProvider } from '#web/ui/leave-provider.tsx';
import { useGuardedNavigation } from '#web/ui/unsaved.tsx';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { ownerOf, ServerProvider, useTRPCClient } from '../../trpc-client.tsx';
import { useLiveChanges } from '../live/use-live-changes.ts';
import { MeProvider, useMe } from '../me.tsx';
import { NowProvider } from '../now.tsx';
import { type Needing, permitted } from '../permitted.ts';
import { PortalShell } from '../shell/portal-shell.tsx';
import { signOut } from '../sign-in/sign-out.ts';
import { NewTaskDialog } from '../tasks/task-dialogs.tsx';

/** Palette search; its code is loaded with the first one. */
function usePaletteSearch() {
  const client = useTRPCClient();
  const zone = useReaderZone();
  return useCallback(
    async (text: string, signal: AbortSignal): Promise<PaletteHit[]> =>
      (await import('./search-palette.ts')).searchPalette({ client, zone }, text, signal),
    [client, zone],
  );
}

const TwoStepGate = dynamic(() => import('../account/two-step-gate.tsx').then((module) => module.TwoStepGate));
const SessionWatch = lazyPart(() => import('../shell/session-watch.tsx').then((module) => module.SessionWatch));
const ConnectionBar = lazyPart(() => import('../shell/connection-bar.tsx').then((module) => module.ConnectionBar));
const PatientDialog = lazyComponent(() =>
  import('../patients/patient-dialog.tsx').then((module) => module.PatientDialog),
);
const BookDialog = lazyComponent(() => import('../appointments/book-dialog.tsx').then((module) => module.BookDialog));
const SubscribeDialog = lazyComponent(() =>
  import('../subscriptions/subscribe-dialog.tsx').then((module) => module.SubscribeDialog),
);

/** The portal's shell with its connection to the server and the command palette. */
export function PortalFrame({ me, renderedAt, children }: { me: MeView; renderedAt: number; children: ReactNode }) {
  return (
    <ServerProvider owner={ownerOf(me)}>
      <NowProvider renderedAt={renderedAt}>
        <MeProvider me={me}>
          <LeaveProvider>
            {me.two_step_due ? <TwoStepGate /> : <ConnectedShell>{children}</ConnectedShell>}
          </LeaveProvider>
          <SessionWatch />
        </MeProvider>
      </NowProvider>
    </ServerProvider>
  );
}

function ConnectedShell({ children }: { children: ReactNode }) {
  const router = useRouter();
  const [creating, setCreating] = useState<CreatedResource | null>(null);
  useLiveChanges();
  const go = useGuardedNavigation();
  const search = usePaletteSearch();
  // Replaces a dialog that is open already.
  const create = useCallback(
    (resource: CreatedResource) =>
      creating && creating !== resource ? go(() => setCreating(resource)) : setCreating(resource),
    [creating, go],
  );
  const actions = usePaletteActions(create);
  const dialog = { open: true, onOpenChange: (open: boolean) => !open && setCreating(null) };
  return (
    <PortalShell search={search} actions={actions}>
      <ConnectionBar />
      {children}
      {(creating === 'patient' || creating === 'invitation') && (
        <PatientDialog
          {...dialog}
          invite={creating === 'invitation'}
          onSaved={(patient) => router.push(`/patients/${patient.id}`)}
        />
      )}
      {creating === 'appointment' && <BookDialog {...dialog} />}
      {creating === 'subscription' && <SubscribeDialog {...dialog} />}
      {creating === 'task' && <NewTaskDialog onClose={() => setCreating(null)} />}
    </PortalShell>
  );
}

/** Resource that a dialog of the palette creates. */
type CreatedResource = 'patient' | 'invitation' | 'appointment' | 'subscription' | 'task';

/** Actions of the palette in addition to search and navigation. */
function usePaletteActions(create: (resource: CreatedResource) => void): PaletteAction[] {
  const { setTheme } = useTheme();
  const go = useGuardedNavigation();
  const router = useRouter();
  const { permissions, tenant } = useMe();
  const { invites_enabled } = tenant;
  return useMemo(() => {
    const actions: (PaletteAction & Needing)[] = [
      {
        label: 'New patient',
        icon: UserPlus,
        keywords: ['add', 'create'],
        isNew: true,
        needs: 'patients:write',
        run: () => create('patient'),
      },
      ...(invites_enabled
        ? [
            {
              label: 'Invite patient',
              icon: Send,
              keywords: ['new', 'create'],
              isNew: true as const,
              needs: 'patients:write' as const,
              run: () => create('invitation'),
            },
          ]
        : []),
      {
        label: 'Book appointment',
        icon: CalendarPlus,
        keywords: ['new', 'visit', 'create'],
        isNew: true,
        needs: 'appointments:write',
        run: () => create('appointment'),
      },
      {
        label: 'New subscription',
        icon: CreditCard,
        keywords: ['subscribe', 'plan', 'create'],
        isNew: true,
        needs: 'subscriptions:write',
        run: () => create('subscription'),
      },
      {
        label: 'New plan',
        icon: ReceiptText,
        keywords: ['price', 'create'],
        isNew: true,
        needs: 'plans:write',
        run: () => go(() => router.push('/plans?new=plan')),
      },
      {
        label: 'New task',
        icon: ListPlus,
        keywords: ['to do', 'reminder', 'follow up', 'create'],
        isNew: true,
        needs: 'tasks:write',
        run: () => create('task'),
      },
      { label: 'Light theme', icon: Sun, keywords: ['colours', 'colors'], run: () => setTheme('light') },
      { label: 'Dark theme', icon: Moon, keywords: ['colours', 'colors'], run: () => setTheme('dark') },
      { label: 'Theme of the system', icon: Monitor, keywords: ['colours', 'colors'], run: () => setTheme('system') },
      {
        label: 'API reference',
        icon: BookOpen,
        keywords: ['docs', 'documentation'],
        run: () => window.open('/docs', '_blank', 'noopener'),
      },
      {
        label: 'Sign out',
        icon: LogOut,
        keywords: ['leave', 'log out'],
        run: () => go(() => void signOut(), { offline: true }),
      },
    ];
    return permitted(actions, permissions);
  }, [create, go, router, setTheme, invites_enabled, permissions]);
}
