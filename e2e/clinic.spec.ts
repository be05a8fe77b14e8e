import type { Page } from '@playwright/test';
import { plainPng } from '../src/dev/testing/png.ts';
import { expectAccessible } from './accessible.ts';
import { PORTAL_HEADERS } from './api.ts';
import { readCard } from './card.ts';
import { type ClinicSettings, readClinic, saveClinic } from './clinic-settings.ts';
import { expect, test } from './fixtures.ts';
import { awaitMail } from './inbox.ts';
import { openNewClinic } from './open-new-clinic.ts';

const LOGO = plainPng(120, 40, [180, 83, 9]);

let savedSettings: ClinicSettings | null = null;
test.afterEach(async ({ page, signIn }) => {
  if (!savedSettings) return;
  // Other tests use the same clinic.
  await signIn('admin');
  await saveClinic(page, savedSettings);
  await page.request.post('/api/trpc/clinic.removeLogo', { headers: PORTAL_HEADERS, data: {} });
  savedSettings = null;
});

/** Accent color of the page, as its browser computes it. */
const accentOf = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim());

test('an admin sets the clinic’s branding, and a patient’s pages and emails use it', async ({
  page,
  visitor,
  signIn,
  api,
  watch,
}) => {
  test.slow();
  watch.allow(/422/);
  await signIn('admin');
  await page.goto('/settings/clinic');
  savedSettings = await readClinic(page);
  const form = page.getByRole('region', { name: 'About the clinic' });
  await expect(form.getByLabel('Name')).toHaveValue(savedSettings.name);

  // Unreadable and invalid values are reported before anything is saved.
  await form.getByLabel('Name').fill('');
  await form.getByLabel('Your terms').fill('lakeside.example.test/terms');
  await form.getByLabel('Color', { exact: false }).last().fill('orange');
  await form.getByRole('button', { name: 'Save clinic' }).click();
  await expect(form.getByText('Enter the name of your clinic.')).toBeVisible();
  await expect(form.getByText('Enter the whole address, beginning with https://.')).toBeVisible();
  await expect(form.getByText('Enter a color as # and six digits')).toBeVisible();

  await form.getByLabel('Name').fill('Lakeside Clinic');
  await form.getByLabel('Time zone').click();
  await form.getByLabel('Time zone').fill('chicago');
  await page.getByRole('option', { name: 'America/Chicago' }).click();
  await form.getByLabel('Phone for questions').fill('2025550142');
  await form.getByLabel('Email for questions').fill('care@lakeside.example.test');
  await form.getByLabel('Your terms').fill('https://lakeside.example.test/terms');
  await form.getByLabel('Your privacy notice').fill('https://lakeside.example.test/privacy');
  await form.getByLabel('Color', { exact: false }).last().fill('#f59e0b');
  await expect(form.getByText(/Light pages and emails use a darker shade, #[0-9a-f]{6}/)).toBeVisible();
  await form.getByRole('button', { name: 'Save clinic' }).click();
  await expect(page.getByText('Clinic saved')).toBeVisible();
  await expect(page.getByRole('complementary').getByText('Lakeside Clinic')).toBeVisible();

  // A file that is no picture is rejected with a reason; a PNG is shown from our own origin.
  const logo = page.getByRole('region', { name: 'Logo' });
  const svg = {
    name: 'logo.png',
    mimeType: 'image/png',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  };
  await logo.getByLabel('Logo file').setInputFiles(svg);
  await expect(logo.getByText('This is not a PNG picture. Save your logo as PNG, and try again.')).toBeVisible();
  await logo.getByLabel('Logo file').setInputFiles({ ...svg, buffer: Buffer.alloc(256_001) });
  await expect(logo.getByText('This picture is larger than 256 kB.')).toBeVisible();
  await logo.getByLabel('Logo file').setInputFiles({ ...svg, buffer: LOGO });
  await expect(logo.getByRole('img', { name: 'Logo of Lakeside Clinic' })).toBeVisible();
  await expectAccessible(page);
  const src = (await logo.getByRole('img').getAttribute('src')) ?? '';
  const logoResponse = await visitor.request.get(new URL(src, readCard().portal_url).href);
  expect(logoResponse.headers()).toMatchObject({ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' });
  expect((await logoResponse.body()).equals(LOGO)).toBe(true);

  // The page of a video visit, in both themes.
  const patient = await api.createPatient();
  const appointment = await api.book(patient.id);
  await visitor.goto(appointment.video_call_url);
  await expect(visitor.getByText('Lakeside Clinic').first()).toBeVisible();
  await expect(visitor.locator(`img[src="${src}"]`)).toBeVisible();
  const help = visitor.getByRole('region', { name: 'Help from Lakeside Clinic' });
  await expect(help.getByRole('link', { name: '+1 (202) 555-0142' })).toHaveAttribute('href', 'tel:+12025550142');
  await expect(help.getByRole('link', { name: 'Terms' })).toHaveAttribute(
    'href',
    'https://lakeside.example.test/terms',
  );
  const accents = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await visitor.emulateMedia({ colorScheme });
    await expect(visitor.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await expectAccessible(visitor);
    accents.push(await accentOf(visitor));
  }
  expect(accents[0]).toMatch(/^#[0-9a-f]{6}$/);
  expect(accents).not.toContain('#0b6b66');
  expect(accents[1]).toBe('#f59e0b');

  // The payment page, and the email that links to it.
  const { id } = await api.subscribe(patient.id, 'paid');
  const response = await page.request.post('/api/trpc/subscriptions.createCheckoutLink', {
    headers: PORTAL_HEADERS,
    data: { subscription_id: id, send: true },
  });
  const { result } = (await response.json()) as { result: { data: { url: string; sent_to: string } } };
  const mail = await awaitMail(result.data.sent_to, 'Lakeside Clinic: set up your payment');
  expect(mail.text).toContain('Questions? Call +1 (202) 555-0142 or write to care@lakeside.example.test.');
  expect(mail.html ?? '').toContain(`src="${readCard().portal_url}${src}"`);
  await visitor.goto(result.data.url);
  await expect(visitor.getByRole('heading', { level: 1, name: 'Complete your payment' })).toBeVisible();
  await expect(visitor.locator(`img[src="${src}"]`)).toBeVisible();
  // A link that no longer works shows the clinic as well. In the same tab the page reads a new fragment automatically.
  watch.allow(/404/);
  await visitor.goto(`/checkout#${result.data.url.split('#')[1]!.split('.')[0]}.nothing`);
  await expect(visitor.getByText('This payment page cannot be opened')).toBeVisible();
  await expect(visitor.getByRole('region', { name: 'Help from Lakeside Clinic' })).toBeVisible();
  await api.cancelAppointment(appointment.id);

  await logo.getByRole('button', { name: 'Remove logo' }).click();
  await expect(logo.getByText('No logo yet')).toBeVisible();
});

test('an admin chooses how patients are verified in addition to the visit link, and the reasons for canceling', {
  tag: '@prove',
}, async ({ page }) => {
  // A separate clinic, because other tests enter video visits at the same time.
  await openNewClinic(page);
  await page.goto('/settings/clinic');
  const card = page.getByRole('region', { name: 'Video visits' });
  const checkSelect = card.getByRole('combobox', { name: 'What patients are asked for besides the link' });
  const selected = checkSelect.locator('option:checked');
  await expect(selected).toHaveText('Nothing more');
  const choose = (label: string) => checkSelect.selectOption({ label });
  await choose('Their date of birth');
  await expect(card.getByText(/not on record cannot enter/)).toBeVisible();
  await choose('A sign-in to your app');
  await expect(card.getByText(/not on record cannot enter/)).toBeHidden();
  await expect(card.getByText(/ask its developers/)).toBeVisible();
  await expectAccessible(page);
  await card.getByRole('button', { name: 'Save video visits' }).click();
  await expect(page.getByText('Video visits saved')).toBeVisible();
  const reasons = page.getByLabel('Reasons, one in each line');
  await expect(reasons).toHaveValue(/^The patient asked\n/);
  await reasons.fill(`${'x'.repeat(101)}`);
  await page.getByRole('button', { name: 'Save reasons' }).click();
  await expect(page.getByText(/Use at most 100 characters for a reason/)).toBeVisible();
  await reasons.fill('Weather\n\nweather\nThe practitioner is ill\n');
  await page.getByRole('button', { name: 'Save reasons' }).click();
  await expect(page.getByText('Reasons saved')).toBeVisible();
  await page.reload();
  await expect(selected).toHaveText('A sign-in to your app');
  await expect(reasons).toHaveValue('Weather\nThe practitioner is ill');
});

test('a practitioner cannot open the clinic’s page', { tag: '@prove' }, async ({ page, signIn }) => {
  await signIn('practitioner');
  await page.goto('/settings/clinic');
  await expect(page.getByText('Your role does not include this page')).toBeVisible();
  await expect(page.getByRole('button', { name: /Save|logo/ })).toHaveCount(0);
});
