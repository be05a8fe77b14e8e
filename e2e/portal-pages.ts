/** The pages of the portal that have no address of their own for each record. */
export const PORTAL_PAGES = [
  '/',
  '/patients',
  '/appointments',
  '/plans',
  '/subscriptions',
  '/inbox',
  '/settings/account',
  '/settings/clinic',
  '/settings/team',
  '/settings/integrations',
  '/settings/credentials',
  '/settings/events',
  '/settings/system',
];
