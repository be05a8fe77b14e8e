import type { Page } from '@playwright/test';
import { type Permission, permissionsOf, ROLES } from '#contract/roles.ts';
import { bookAppointmentIn } from './appointment-now.ts';
import { createSubscription } from './create-subscription.ts';
import { expect, fillSignIn, openListening, test } from './fixtures.ts';
import { press, visible } from './press.ts';
import { promised, proveUnless } from './prove.ts';
import { chooseRole, createColleague } from './team.ts';

const ADMIN_PAGES = [
  '/settings/clinic',
  '/settings/messages',
  '/settings/team',
  '/settings/integrations',
  '/settings/credentials',
  '/settings/audit',
  '/settings/events',
  '/settings/webhooks',
  '/settings/webhooks/00000000-0000-4000-8000-000000000000',
  '/settings/system',
];
const ID = '00000000-0000-4000-8000-000000000000';
const NOT_OPEN = 'Your role does not include this page';

for (const path of [...ADMIN_PAGES, '/appointments/unmatched', `/patients/${ID}/export`, `/patients/${ID}/merge`])
  test(`a practitioner cannot open ${path}`, proveUnless(path === '/settings/team'), async ({ page, signIn }) => {
    await signIn('practitioner');
    await page.goto(path);
    await expect(page.getByText(NOT_OPEN)).toBeVisible();
    await expect(
      page.getByRole('button', { name: /Create|Connect|Change|Check|Copy|Invite|Try|Add|Send/ }),
    ).toBeHidden();
  });

test('a practitioner sees no admin page in the navigation', async ({ page, signIn }) => {
  await signIn('practitioner');
  await openListening(page, '/');
  const main = page.getByRole('navigation', { name: 'Main' });
  await expect(main.getByRole('link', { name: 'Patients' })).toBeVisible();
  await expect(main.getByRole('link', { name: 'API credentials' })).toBeHidden();
  await press(page, 'ControlOrMeta+k', visible(page.getByRole('combobox')));
  await page.getByRole('combobox').fill('credentials');
  await expect(page.getByText('Nothing found for “credentials”.')).toBeVisible();
});

/** What pages offer to those who hold a permission, by the names of buttons and menu entries. */
const OFFERS: Partial<Record<Permission, RegExp>> = {
  'patients:write':
    /^(Add patient|Invite patient|Invite to sign in|Edit details|Archive patient|No more reminders by email)$/,
  'patients:merge': /^Merge with another record$/,
  'notes:write': /^Write a note$/,
  'appointments:write': /^(Book appointment|Move|Move appointment|Cancel appointment|Send now|Copy link|New link)$/,
  'visits:host': /^Join( by video)?$/,
  'subscriptions:write': /^(New subscription|Payment link|Change plan)$/,
  'subscriptions:cancel': /^(Cancel subscription|Link to manage)$/,
  'plans:write': /^(New plan|New code|Change price…|Archive…)$/,
  'payments:refund': /^Refund$/,
  'tasks:write': /^(New task|Done|Edit|Open again|Follow up|Make a task)$/,
  'lists:export': /^Export$/,
};
const OFFERED = Object.entries(OFFERS) as [Permission, RegExp][];

/** Opens the page and each of its menus, and returns the names of what can be pressed. */
async function offersOf(page: Page): Promise<string[]> {
  const main = page.getByRole('main');
  const names = async () => [
    ...(await page.getByRole('main').getByRole('button').allInnerTexts()),
    ...(await page.getByRole('main').getByRole('link').allInnerTexts()),
    ...(await page.getByRole('menuitem').allInnerTexts()),
  ];
  const seen = await names();
  const menus = main.getByRole('button').and(page.locator('[aria-haspopup=menu]'));
  for (const menu of (await menus.all()).slice(0, 2)) {
    await menu.click();
    await page.getByRole('menu').waitFor();
    seen.push(...(await names()));
    await page.keyboard.press('Escape');
  }
  return seen.map((name) => name.trim());
}

const LISTS: [path: string, loaded: string][] = [
  ['/', 'Appointments today'],
  ['/calendar', 'Day of the calendar'],
  ['/patients', 'Patients'],
  ['/appointments', 'Appointments'],
  ['/tasks', 'Tasks'],
  ['/practitioners', 'Practitioners'],
  ['/plans', 'Plans'],
  ['/subscriptions', 'Subscriptions'],
  ['/inbox', 'Inbox'],
  ['/settings/account', 'Two-step sign-in'],
];

for (const role of ROLES.filter((one) => one !== 'admin'))
  test(
    `as ${role}, no page asks for what the role may not see or offers what it may not do`,
    proveUnless(role === 'read_only'),
    async ({ page, signIn, api }) => {
      test.slow();
      const subscription = await createSubscription(api, 'paid');
      const { appointment } = await bookAppointmentIn(10, api);
      const refused: string[] = [];
      page.on('response', async (response) => {
        if (!response.url().includes('/api/trpc/')) return;
        const text = await response.text().catch(() => '');
        if (text.includes('"FORBIDDEN"')) refused.push(new URL(response.url()).pathname);
      });
      await signIn(role);
      const held = permissionsOf(role, []);
      const withheld = Object.entries(OFFERS).filter(
        ([permission]) => !held.includes(permission as keyof typeof OFFERS),
      );
      const seen = new Set<string>();
      const check = async (path: string) => {
        await expect(page.getByRole('status').filter({ hasText: /Loading/ })).toHaveCount(0);
        const offers = await offersOf(page);
        for (const name of offers) seen.add(name);
        for (const [permission, pattern] of withheld)
          expect([path, permission, offers.filter((name) => pattern.test(name))]).toEqual([path, permission, []]);
      };
      for (const [path, loaded] of process.env.PROVE ? LISTS : LISTS.slice(0, 4)) {
        if (path === '/inbox' && !held.includes('patients:write')) continue;
        await page.goto(path);
        await page.getByRole('region', { name: loaded }).first().waitFor();
        await check(path);
      }
      for (const path of [
        `/patients/${subscription.patient.id}`,
        `/subscriptions/${subscription.id}`,
        `/appointments/${appointment.id}`,
      ]) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        await check(path);
      }
      expect(refused).toEqual([]);
      const names = [...seen];
      const offered = OFFERED.filter(([, pattern]) => names.some((name) => pattern.test(name))).map(([one]) => one);
      expect(offered).toEqual(OFFERED.map(([one]) => one).filter((one) => held.includes(one)));
    },
  );

test('a colleague who becomes front desk is signed out at once, and comes back without the rest', {
  tag: '@prove',
}, async ({ page, visitor, signIn, api }) => {
  const subscription = await createSubscription(api, 'paid');
  await signIn('admin');
  const colleague = await createColleague(page, visitor, 'Billing');
  await visitor.goto(`/subscriptions/${subscription.id}`);
  await fillSignIn(visitor, colleague);
  const cancel = visitor.getByRole('menuitem', { name: 'Cancel subscription' });
  await visitor.getByRole('button', { name: 'Actions' }).first().click();
  await expect(cancel).toBeVisible();
  await visitor.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('button', { name: `Actions for ${colleague.name}` }).click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  const dialog = page.getByRole('dialog', { name: `Change the role of ${colleague.name}` });
  await chooseRole(dialog, 'Front desk');
  await dialog.getByRole('button', { name: 'Change role' }).click();
  await expect(page.getByText('Role changed')).toBeVisible();
  const status = async () => (await visitor.request.get('/api/trpc/session.me?input=%7B%7D')).status();
  await expect.poll(status, { timeout: promised(2_000) }).toBe(401);
  await visitor.goto(`/subscriptions/${subscription.id}`);
  await fillSignIn(visitor, colleague);
  await expect(visitor.getByRole('button', { name: 'Change plan' })).toBeVisible();
  // Nothing in the menu of this subscription is theirs.
  await expect(visitor.getByRole('button', { name: 'More actions' })).toHaveCount(0);
  await expect(cancel).toHaveCount(0);
});

test('a practitioner sees of each service that it is connected, and nothing else', async ({ page, signIn }) => {
  await signIn('practitioner');
  const response = await page.request.get('/api/trpc/integrations.list?input=%7B%7D');
  const noDetails = {
    account_id: null,
    publishable_key: null,
    details: {},
    requirements: [],
    findings: [],
    checked_at: null,
  };
  expect((await response.json()).result.data).toEqual([
    { provider: 'stripe', status: 'connected', ...noDetails },
    { provider: 'acuity', status: 'connected', ...noDetails },
  ]);
});

test('the portal rejects calls without a session', async ({ page }) => {
  for (const procedure of ['patients.list', 'team.list', 'audit.list'])
    expect((await page.request.get(`/api/trpc/${procedure}?input=%7B%7D`)).status(), procedure).toBe(401);
});
