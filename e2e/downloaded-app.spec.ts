import { readFile } from 'node:fs/promises';
import { chooseDay, chooseSlot } from './choose-slot.ts';
import { serveDownloadedApp } from './downloaded-app.ts';
import { expect, test } from './fixtures.ts';
import { awaitCode } from './inbox.ts';
import {
  enterCode,
  expectErrorMessage,
  expectSignedIn,
  newPhone,
  openPlayground,
  openTab,
  patientsWithPhone,
  payByCard,
  requestCode,
  startBooking,
} from './playground.ts';

test('the app that the playground offers to download installs, checks, builds, signs in, pays and books on its own', {
  tag: '@prove',
}, async ({ page, visitor, api, watch }) => {
  test.setTimeout(300_000);
  watch.allow(/402/);
  await openPlayground(page);
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Take this app with you' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('carelane-app.zip');
  const app = await serveDownloadedApp(await readFile(await download.path()));
  try {
    const phone = await newPhone(api);
    await visitor.goto(app.url);
    await enterCode(visitor, await requestCode(visitor, phone), 'Sign in');
    await expectSignedIn(visitor);
    const [patient] = await patientsWithPhone(api, phone);

    await openTab(visitor, 'Plan');
    await visitor.getByRole('radio', { name: /Essential care.*\$49\.00 per month/ }).click();
    await visitor.getByRole('button', { name: 'Continue to payment' }).click();
    await payByCard(visitor, '4000000000000002');
    await expectErrorMessage(visitor, 'card_declined');
    await payByCard(visitor, '4242424242424242');
    await expect(visitor.getByRole('region', { name: 'Your plan' }).getByText('Active')).toBeVisible();
    expect(await api.call(`/subscriptions?patient_id=${patient!.id}`)).toMatchObject([{ status: 'active' }]);

    await startBooking(visitor);
    await chooseDay(visitor);
    const bookedFor = await chooseSlot(visitor, 'last');
    await visitor.getByRole('button', { name: /^Book / }).click();
    await expect(visitor.getByRole('list', { name: 'Your appointments' }).getByRole('listitem')).toHaveCount(1);
    const [booked] = await api.appointmentsOf(patient!.id);
    expect(Date.parse(booked!.from_date)).toBe(Date.parse(bookedFor));
  } finally {
    await app.stop();
  }
});

test('the playground shows the code that was sent where it is needed, and fills it in', { tag: '@prove' }, async ({
  page,
  api,
}) => {
  const phone = await newPhone(api);
  await openPlayground(page);
  const code = await requestCode(page, phone);
  const messages = page.getByRole('region', { name: 'The patient’s messages' });
  await expect(messages).toContainText(code);
  await page.reload();
  await expect(messages).toContainText(code);
  await messages.getByRole('button', { name: 'Fill in' }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectSignedIn(page);
  await expect(messages).toBeHidden();
  expect(await awaitCode(phone, new Date(0).toISOString())).toBe(code);
});

test('each step shows the loader of Stripe.js and other required files next to it', { tag: '@prove' }, async ({
  page,
  api,
}) => {
  await openPlayground(page);
  await enterCode(page, await requestCode(page, await newPhone(api)), 'Sign in');
  await expectSignedIn(page);
  await openTab(page, 'Plan');
  await page.getByRole('radio', { name: /Essential care.*\$49\.00 per month/ }).click();
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByLabel('Card number').waitFor();
  const code = page.getByRole('region', { name: 'The code of this step' });
  for (const file of ['confirm-card.ts', 'load-stripe-js.ts', 'call-api.ts', 'configure.ts', 'api-types.ts'])
    await expect(code.getByText(file, { exact: true })).toBeVisible();
});
