'use client';
import { BookOpen, CalendarPlus, CreditCard, LogOut, Monitor, Moon, Send, Sun, UserPlus } from 'lucide-react';
import { useTheme } from 'next-themes';
import { useMemo } from 'react';
import type { PaletteAction } from '#web/ui/command-palette-panel.tsx';
import { useGo } from '#web/ui/unsaved.tsx';
import { useMe } from '../me.tsx';
import { signOut } from '../shell/sign-out.ts';

/** Resource that a dialog of the palette creates. */
export type Making = 'patient' | 'invitation' | 'visit' | 'subscription';

/** Actions of the palette in addition to search and navigation. */
export function usePaletteActions(make: (what: Making) => void): PaletteAction[] {
  const { setTheme } = useTheme();
  const go = useGo();
  const { invites_enabled } = useMe().tenant;
  return useMemo(
    () => [
      { label: 'New patient', icon: UserPlus, keywords: ['add', 'create'], isNew: true, run: () => make('patient') },
      ...(invites_enabled
        ? [
            {
              label: 'Invite patient',
              icon: Send,
              keywords: ['new', 'create'],
              isNew: true as const,
              run: () => make('invitation'),
            },
          ]
        : []),
      {
        label: 'Book visit',
        icon: CalendarPlus,
        keywords: ['new', 'appointment', 'create'],
        isNew: true,
        run: () => make('visit'),
      },
      {
        label: 'New subscription',
        icon: CreditCard,
        keywords: ['subscribe', 'plan', 'create'],
        isNew: true,
        run: () => make('subscription'),
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
      { label: 'Sign out', icon: LogOut, keywords: ['leave', 'log out'], run: () => go(() => void signOut()) },
    ],
    [make, go, setTheme, invites_enabled],
  );
}
