import type { Page } from '@playwright/test';
import type { PatientView } from '#contract/patients.ts';
import { patientName } from './api.ts';
import { expect, test } from './fixtures.ts';
import { awaitMail, awaitText, linkIn } from './inbox.ts';
import { newPhone } from './playground.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

async function copyLink(page: Page): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await page.getByRole('dialog').getByRole('button', { name: 'Copy link' }).click();
  const readClipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(readClipboard).toMatch(/checkout#/);
  return readClipboard();
}

test('copying a payment link keeps the emailed one active; a new one has to be requested as such', {
  tag: '@prove',
}, async ({ page, visitor, signIn, api, watch }) => {
  watch.allow(/404/);
  const patient = await api.createPatient('Wren');
  const { id } = await api.subscribe(patient.id, 'paid');
  await signIn('practitioner');
  await page.goto(`/patients/${patient.id}`);
  const subscriptions = page.getByRole('table', { name: `Subscriptions of ${patientName(patient)}` });
  await subscriptions.getByRole('button', { name: 'Payment link' }).click();
  const dialog = page.getByRole('dialog', { name: 'Payment link' });
  await expect(dialog.getByRole('button', { name: 'New link' })).toHaveCount(0);
  await dialog.getByRole('button', { name: /mail it to the patient/ }).click();
  await expect(dialog.getByText(`it was sent to ${patient.email}`)).toBeVisible();
  const mailed = linkIn(await awaitMail(patient.email ?? ''));
  expect(await copyLink(page)).toBe(mailed);
  await page.reload();
  await subscriptions.getByRole('button', { name: 'Payment link' }).click();
  expect(await copyLink(page)).toBe(mailed);
  await visitor.goto(mailed);
  const title = visitor.getByRole('heading', { level: 1, name: 'Complete your payment' });
  await expect(title).toBeVisible();

  await dialog.getByRole('button', { name: 'New link' }).click();
  await expect(dialog.getByText('There is a new link')).toBeVisible();
  const newLink = await copyLink(page);
  expect(newLink).not.toBe(mailed);
  await visitor.goto('about:blank');
  await visitor.goto(mailed);
  await expect(visitor.getByText('This payment page cannot be opened')).toBeVisible();
  await visitor.goto('about:blank');
  await visitor.goto(newLink);
  await expect(title).toBeVisible();
  await api.call(`/subscriptions/${id}/cancel`, {});
});

test('links to pay and to manage are sent to the patient by text message', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  api,
}) => {
  const phone_number = await newPhone(api);
  const patient = await api.call<PatientView>('/patients', { first_name: 'Wren', last_name: 'Example', phone_number });
  const { id } = await api.subscribe(patient.id, 'paid');
  await signIn('billing');
  await page.goto(`/subscriptions/${id}`);
  const sendByText = async (title: string) => {
    const since = new Date().toISOString();
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.getByRole('button', { name: 'Text it to the patient' }).click();
    await expect(dialog.getByText(`Sent to ${phone_number}.`, { exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    return linkIn({ subject: '', text: await awaitText(phone_number, since) });
  };
  await page.getByRole('button', { name: 'Payment link' }).click();
  await visitor.goto(await sendByText('Payment link'));
  await expect(visitor.getByRole('heading', { level: 1, name: 'Complete your payment' })).toBeVisible();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Link to manage' }).click();
  await visitor.goto(await sendByText('Link to manage'));
  await expect(visitor.getByText('Not paid yet', { exact: true })).toBeVisible();
  await api.call(`/subscriptions/${id}/cancel`, {});
});
