import { PORTAL_HEADERS, randomSuffix } from './api.ts';
import { expect, openListening, test } from './fixtures.ts';
import { press, visible } from './press.ts';
import { proveUnless } from './prove.ts';

const ADMIN_PAGES = [
  '/appointments/unmatched',
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
/** In the gate, the test of every admin procedure below covers the other pages. */
const IN_GATE = ['/settings/team', '/settings/audit'];
const ID = '00000000-0000-4000-8000-000000000000';

for (const path of ADMIN_PAGES)
  test(`a practitioner cannot open ${path}`, proveUnless(IN_GATE.includes(path)), async ({ page, signIn }) => {
    await signIn('practitioner');
    await page.goto(path);
    await expect(page.getByText('Only administrators can open this page')).toBeVisible();
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

const QUERIES = [
  'clinic.get',
  'team.list',
  'appointments.listUnmatched',
  'applications.list',
  'applications.configurationTokens',
  'applications.allowedOrigins',
  'system.failedJobs',
  'system.videoServers',
  'visits.getCheck',
  'audit.list',
  'audit.chain',
  'events.list',
  'events.latest',
  'webhooks.list',
  'webhooks.health',
];
const MUTATIONS: [string, object][] = [
  ['applications.create', { name: `Never ${randomSuffix()}`, scopes: ['admin'] }],
  ['applications.rotateSecret', { id: ID }],
  ['applications.revokeSecret', { id: ID, secret_id: ID }],
  ['applications.revoke', { id: ID }],
  ['applications.setAllowedOrigins', { origins: [] }],
  ['invitations.turn', { enabled: true }],
  [
    'clinic.update',
    {
      name: 'Never',
      time_zone: 'UTC',
      colour: null,
      support_phone: null,
      support_email: null,
      terms_url: null,
      privacy_url: null,
    },
  ],
  ['clinic.setLogo', { png: 'iVBORw0KGgo=' }],
  ['clinic.removeLogo', {}],
  ['team.invite', { email: 'never@riverbend.example.test', name: 'Never', role: 'admin' }],
  ['team.resend', { id: ID }],
  ['team.withdraw', { id: ID }],
  ['team.changeRole', { id: ID, role: 'admin' }],
  ['team.disable', { id: ID }],
  ['team.enable', { id: ID }],
  ['team.resetTwoStep', { id: ID }],
  ['integrations.connectStripe', {}],
  ['integrations.stripeOnboarding', {}],
  ['integrations.updateStripe', { grace_days: 3 }],
  ['integrations.disconnectStripe', { account_id: 'acct_none' }],
  ['integrations.updateAcuity', { user_id: '1' }],
  ['integrations.disconnectAcuity', { account_id: '1' }],
  ['integrations.repairAcuity', { code: 'none' }],
  ['appointments.attachUnmatched', { id: ID, patient_id: ID }],
  ['appointments.createPatientOf', { id: ID }],
  ['appointments.ignoreUnmatched', { id: ID }],
  ['appointments.restoreUnmatched', { id: ID }],
  ['subscriptions.attach', { id: 'sub_none', patient_id: ID }],
  ['subscriptions.leaveAlone', { id: 'sub_none' }],
  ['integrations.connectAcuity', { user_id: '1', api_key: 'none' }],
  ['integrations.check', { provider: 'stripe' }],
  ['system.retryJob', { id: '1' }],
  ['system.checkVideo', {}],
  ['visits.setCheck', { check: 'none' }],
  ['audit.check', {}],
  ['webhooks.create', { url: 'https://never.example.com/', event_types: ['*'] }],
  ['webhooks.update', { id: ID, enabled: false }],
  ['webhooks.delete', { id: ID }],
  ['webhooks.rollSecret', { id: ID }],
  ['webhooks.test', { id: ID }],
  ['webhooks.replay', { id: ID, after_sequence: 0 }],
  ['webhooks.replayOne', { id: ID, delivery_id: ID }],
];

test('a practitioner’s call of any admin procedure is rejected', async ({ page, signIn }) => {
  await signIn('practitioner');
  const headers = PORTAL_HEADERS;
  for (const procedure of QUERIES) {
    const response = await page.request.get(`/api/trpc/${procedure}?input=%7B%7D`, { headers });
    expect(response.status(), procedure).toBe(403);
  }
  for (const [procedure, data] of MUTATIONS) {
    const response = await page.request.post(`/api/trpc/${procedure}`, { headers, data });
    expect(response.status(), procedure).toBe(403);
  }
});

test('a practitioner cannot export a chart', async ({ page, signIn }) => {
  await signIn('practitioner');
  await page.goto(`/patients/${ID}/export`);
  await expect(page.getByText('Only administrators can open this page')).toBeVisible();
  const response = await page.request.get(`/api/charts/export?patient_id=${ID}&format=json`);
  expect(response.status()).toBe(403);
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
  for (const procedure of ['patients.list', ...QUERIES])
    expect((await page.request.get(`/api/trpc/${procedure}?input=%7B%7D`)).status(), procedure).toBe(401);
});
