import {
  Activity,
  Building2,
  CalendarClock,
  CalendarDays,
  CircleUser,
  CreditCard,
  Inbox,
  KeyRound,
  ListTodo,
  type LucideIcon,
  Mail,
  Plug,
  Radio,
  ReceiptText,
  ScrollText,
  Stethoscope,
  Sun,
  UserCog,
  UsersRound,
  Webhook,
} from 'lucide-react';
import type { Permission } from '#contract/roles.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import type { MeView } from '#contract/settings.ts';
import { permitted } from '../permitted.ts';

export type NavItem = {
  label: string;
  /** Key that opens the page when pressed after `g`. */
  letter: string;
  href: string;
  icon: LucideIcon;
  keywords?: string[];
  /** The permission that the page needs; absent where every role may open it. */
  needs?: Permission;
  sandboxOnly?: true;
};
export type NavGroup = { heading?: string; items: NavItem[] };

const GROUPS: NavGroup[] = [
  {
    items: [
      { label: 'Today', letter: 't', href: '/', icon: Sun, keywords: ['home', 'visits'] },
      {
        label: 'Calendar',
        letter: 'v',
        href: '/calendar',
        icon: CalendarDays,
        keywords: ['day', 'week', 'month', 'visits', 'free times'],
      },
      { label: 'Patients', letter: 'p', href: '/patients', icon: UsersRound },
      {
        label: 'Appointments',
        letter: 'a',
        href: '/appointments',
        icon: CalendarClock,
        keywords: ['visits', 'book'],
      },
      {
        label: 'Tasks',
        letter: 'o',
        href: '/tasks',
        icon: ListTodo,
        keywords: ['to do', 'follow up', 'reminders', 'due'],
      },
      {
        label: 'Practitioners',
        letter: 'd',
        href: '/practitioners',
        icon: Stethoscope,
        keywords: ['doctors', 'calendars', 'care team'],
      },
      { label: 'Plans', letter: 'l', href: '/plans', icon: ReceiptText, keywords: ['prices'] },
      {
        label: 'Subscriptions',
        letter: 's',
        href: '/subscriptions',
        icon: CreditCard,
        keywords: ['payments', 'billing'],
      },
      {
        label: 'Inbox',
        letter: 'i',
        href: '/inbox',
        icon: Inbox,
        keywords: ['emails', 'texts', 'codes'],
        needs: 'patients:write',
        sandboxOnly: true,
      },
    ],
  },
  {
    heading: 'Settings',
    items: [
      {
        label: 'Account',
        letter: 'u',
        href: '/settings/account',
        icon: CircleUser,
        keywords: ['password', 'two-step', 'profile'],
      },
      {
        label: 'Clinic',
        letter: 'c',
        href: '/settings/clinic',
        icon: Building2,
        keywords: ['name', 'logo', 'colour', 'color', 'time zone', 'support'],
        needs: 'settings:manage',
      },
      {
        label: 'Messages',
        letter: 'g',
        href: '/settings/messages',
        icon: Mail,
        keywords: ['reminders', 'confirmations', 'templates', 'quiet hours', 'words', 'email', 'text'],
        needs: 'settings:manage',
      },
      {
        label: 'Team',
        letter: 'm',
        href: '/settings/team',
        icon: UserCog,
        keywords: ['staff', 'invite', 'roles'],
        needs: 'team:manage',
      },
      {
        label: 'Integrations',
        letter: 'n',
        href: '/settings/integrations',
        icon: Plug,
        keywords: ['stripe', SCHEDULING_PROVIDER.id],
        needs: 'settings:manage',
      },
      {
        label: 'API credentials',
        letter: 'k',
        href: '/settings/credentials',
        icon: KeyRound,
        keywords: ['tokens', 'secrets'],
        needs: 'settings:manage',
      },
      {
        label: 'Audit log',
        letter: 'w',
        href: '/settings/audit',
        icon: ScrollText,
        keywords: ['who', 'seen', 'history', 'review'],
        needs: 'audit:read',
      },
      {
        label: 'Events',
        letter: 'e',
        href: '/settings/events',
        icon: Radio,
        keywords: ['feed', 'log', 'history', 'what happened'],
        needs: 'settings:manage',
      },
      {
        label: 'Webhooks',
        letter: 'h',
        href: '/settings/webhooks',
        icon: Webhook,
        keywords: ['receivers', 'deliveries', 'endpoints', 'events'],
        needs: 'settings:manage',
      },
      {
        label: 'System',
        letter: 'y',
        href: '/settings/system',
        icon: Activity,
        keywords: ['failed', 'jobs'],
        needs: 'settings:manage',
      },
    ],
  },
];

/** Navigation for these permissions. The server checks each call; this only leaves out what it would reject. */
export function navigationFor({ permissions, environment }: Pick<MeView, 'permissions' | 'environment'>): NavGroup[] {
  return GROUPS.map((group) => ({
    ...group,
    items: permitted(group.items, permissions).filter(({ sandboxOnly }) => !sandboxOnly || environment === 'sandbox'),
  })).filter((group) => group.items.length > 0);
}

/** The permission for a settings page; an unknown one is for administrators. */
export const neededFor = (pathname: string): Permission =>
  GROUPS.flatMap(({ items }) => items).find(({ href, needs }) => needs && isCurrent(href, pathname))?.needs ??
  'settings:manage';

export function isCurrent(href: string, pathname: string): boolean {
  return href === '/' ? pathname === '/' : pathname === href || pathname.startsWith(`${href}/`);
}
