import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from '@playwright/test';
import { Webhook } from 'standardwebhooks';
import { expectAccessible } from './accessible.ts';
import { PORTAL_HEADERS, randomSuffix } from './api.ts';
import { expectAccessibleAndFits, expectFits } from './fits.ts';
import { expect, test } from './fixtures.ts';
import { hidden, press, visible } from './press.ts';

type Received = { raw: string; headers: Record<string, string>; body: Record<string, unknown> };

/** A receiver of this test; `status` is the status of its responses. */
async function startReceiver(): Promise<{ url: string; received: Received[]; status: number; server: Server }> {
  const received: Received[] = [];
  const receiver = { url: '', received, status: 204, server: undefined as unknown as Server };
  receiver.server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const raw = Buffer.concat(parts).toString();
    received.push({ raw, headers: request.headers as Record<string, string>, body: JSON.parse(raw) });
    response.writeHead(receiver.status).end(receiver.status < 300 ? undefined : 'The disk is full.');
  });
  await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://localhost:${(receiver.server.address() as AddressInfo).port}/hooks`;
  return receiver;
}

let receiver: Awaited<ReturnType<typeof startReceiver>>;
test.beforeEach(async () => {
  receiver = await startReceiver();
});
test.afterEach(() => {
  receiver.server.close();
  receiver.server.closeAllConnections();
});

const deliveriesAbout = (id: string) => receiver.received.filter(({ body }) => body.patient_id === id);
const ARRIVAL_TIMEOUT = { timeout: 30_000 };

/** Deletes a receiver: a clinic has twenty at most, and tests are many. */
async function deleteReceiver(page: Page, id: string): Promise<void> {
  await page.goto('/settings/webhooks');
  await page.request.post('/api/trpc/webhooks.delete', { headers: PORTAL_HEADERS, data: { id } });
}

/**
 * Adds a receiver through the dialog, with the keyboard alone.
 * @returns the secret that was shown
 */
async function addReceiver(page: Page, description: string): Promise<string> {
  const { keyboard } = page;
  await page.goto('/settings/webhooks');
  await page.getByRole('region', { name: 'Webhooks' }).waitFor();
  const add = page.getByRole('button', { name: 'Add receiver' }).first();
  await add.focus();
  await keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Address')).toBeFocused();
  await keyboard.type(receiver.url);
  await keyboard.press('Tab');
  await keyboard.type(description);
  await keyboard.press('Tab');
  await expect(dialog.getByRole('radio', { name: /^Everything/ })).toBeFocused();
  await keyboard.press('Space');
  await expect(dialog.getByRole('radio', { name: /^Everything/ })).toBeChecked();
  await dialog.getByRole('button', { name: 'Add receiver' }).focus();
  await keyboard.press('Enter');
  const secret = await dialog.getByText(/^whsec_/).innerText();
  // A key cannot close it.
  await keyboard.press('Escape');
  await expect(dialog.getByText(secret)).toBeVisible();
  await dialog.getByRole('button', { name: 'I have saved it' }).focus();
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: description })).toBeVisible();
  return secret;
}

const openDelivery = async (page: Page, table: Locator, name: string): Promise<Locator> => {
  await table.getByRole('button', { name, exact: true }).first().focus();
  const sheet = page.getByRole('dialog', { name });
  await press(page, 'Enter', visible(sheet));
  return sheet;
};

test('a receiver is added by keyboard, and an event is seen arriving', async ({ page, signIn, api }) => {
  test.slow();
  const name = `Warehouse ${randomSuffix()}`;
  await signIn('admin');
  const secret = await addReceiver(page, name);
  const id = new URL(page.url()).pathname.split('/').at(-1)!;
  const table = page.getByRole('table', { name: 'What was sent' });

  await page.getByRole('button', { name: 'Send a test' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => receiver.received.length, ARRIVAL_TIMEOUT).toBeGreaterThan(0);
  await expect(table.getByRole('row').filter({ hasText: 'Webhook test' })).toContainText('Arrived', ARRIVAL_TIMEOUT);

  const patient = await api.createPatient();
  await expect.poll(() => deliveriesAbout(patient.id).length, ARRIVAL_TIMEOUT).toBe(1);
  const [delivery] = deliveriesAbout(patient.id) as [Received];
  expect(new Webhook(secret).verify(delivery.raw, delivery.headers)).toMatchObject({ type: 'patient.created' });
  expect(delivery.raw).not.toContain(patient.last_name);
  const row = table.getByRole('row').filter({ hasText: patient.id });
  await expect(row).toContainText('Arrived', ARRIVAL_TIMEOUT);
  const sheet = await openDelivery(page, row, 'Patient created');
  const headers = sheet.getByRole('group', { name: 'Headers: what was sent' });
  await expect(headers).toContainText(String(delivery.headers['webhook-signature']));
  await expect(sheet.getByRole('group', { name: 'Body: what was sent' })).toContainText(patient.id);
  await expect(sheet).toContainText('204, without a body.');
  await expectAccessible(page);
  await press(page, 'Escape', hidden(sheet));

  // The event lists its receivers, and links back.
  await page.goto('/settings/events?type=patient');
  await page.getByRole('row').filter({ hasText: patient.last_name! }).getByRole('button').first().click();
  const event = page.getByRole('dialog', { name: 'Patient created' });
  const sentTo = event.getByRole('list', { name: 'Sent to' }).getByRole('listitem');
  await expect(sentTo.filter({ hasText: new URL(receiver.url).host })).toContainText('Arrived');
  await expectAccessible(page);
  await sentTo
    .filter({ hasText: new URL(receiver.url).host })
    .getByRole('link')
    .click();
  // The event's sheet has the same name. Screen readers do not see content behind an open dialog, so it is closed
  // first.
  const sent = page.getByRole('dialog', { name: 'Patient created' });
  await expect(sent.getByRole('button', { name: 'Send again', exact: true })).toBeVisible();
  await expect(sent).toContainText('Arrived');
  await expect(page).toHaveURL(/delivery=/);
  await press(page, 'Escape', hidden(sent));
  await expect(page).not.toHaveURL(/delivery=/);
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();

  // The sample code has the URL and no secret.
  const code = page.getByRole('region', { name: 'For the developers of the receiver' });
  for (const tab of ['Check with curl', 'Node', 'Python']) {
    await code.getByRole('button', { name: tab, exact: true }).click();
    await expect(code.getByRole('group', { name: new RegExp(`: ${tab}$`) })).toContainText(receiver.url);
    expect(await code.innerText()).not.toContain(secret.slice('whsec_'.length));
  }

  // The secret is rolled; both are valid.
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'New secret' }).click();
  const roll = page.getByRole('dialog', { name: /^New secret/ });
  await expect(roll).toContainText('For 24 hours everything is signed with both');
  await roll.getByRole('button', { name: 'Make a new secret' }).click();
  const newSecret = await roll.getByText(/^whsec_/).innerText();
  await roll.getByRole('button', { name: 'I have saved it' }).click();
  const other = await api.createPatient();
  await expect.poll(() => deliveriesAbout(other.id).length, ARRIVAL_TIMEOUT).toBe(1);
  for (const key of [secret, newSecret])
    new Webhook(key).verify(deliveriesAbout(other.id)[0]!.raw, deliveriesAbout(other.id)[0]!.headers);

  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete receiver' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Webhooks' })).toBeVisible();
  await expect(page.getByRole('link', { name })).toHaveCount(0);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
});

test('a failing receiver is shown, repaired, and sent what it missed', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  test.slow();
  const name = `Ledger ${randomSuffix()}`;
  receiver.status = 500;
  const { id } = await api.call<{ id: string }>('/webhook_endpoints', {
    url: receiver.url,
    event_types: ['patient.created'],
    description: name,
  });
  const patient = await api.createPatient();
  await signIn('admin');
  await page.goto('/settings/webhooks');
  const receivers = page.getByRole('table', { name: 'Webhooks' });
  const receiverRow = receivers.getByRole('row').filter({ hasText: name });
  await expect(receiverRow).toContainText('Patient created');
  await expect(async () => {
    await page.reload();
    await expect(receiverRow).toContainText('Failing', { timeout: 10_000 });
    await expect(receiverRow).toContainText(/[1-9]\d* failed/, { timeout: 10_000 });
  }).toPass({ timeout: 60_000 });
  await receiverRow.getByRole('link', { name }).click();
  await expect(page.getByRole('status').filter({ hasText: 'The last try did not arrive' })).toBeVisible();
  const table = page.getByRole('table', { name: 'What was sent' });
  const row = table.getByRole('row').filter({ hasText: patient.id });
  await expect(row).toContainText('It answered 500.');
  await expect(row).toContainText(/The next try is/);
  const sheet = await openDelivery(page, row, 'Patient created');
  await expect(sheet.getByRole('group', { name: 'Answer 500: the response' })).toContainText('The disk is full.');
  await expectAccessible(page);

  // The second attempt comes automatically seconds after the first, the next a minute later: neither repairs this one.
  await expect.poll(() => deliveriesAbout(patient.id).length, ARRIVAL_TIMEOUT).toBeGreaterThan(1);
  const attempts = deliveriesAbout(patient.id).length;
  receiver.status = 204;
  await sheet.getByRole('button', { name: 'Try now' }).click();
  await expect(sheet.getByText('Arrived', { exact: true })).toBeVisible(ARRIVAL_TIMEOUT);
  await expect.poll(() => deliveriesAbout(patient.id).length).toBeGreaterThan(attempts);
  await sheet.getByRole('button', { name: 'Send again', exact: true }).click();
  const replayed = () => deliveriesAbout(patient.id).filter(({ body }) => body.replayed);
  await expect.poll(() => replayed().length, ARRIVAL_TIMEOUT).toBe(1);

  const laterPatient = await api.createPatient();
  await expect.poll(() => deliveriesAbout(laterPatient.id).length, ARRIVAL_TIMEOUT).toBe(1);
  await sheet.getByRole('button', { name: 'Send again from here on' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Send again' }).click();
  await expect
    .poll(() => deliveriesAbout(laterPatient.id).filter(({ body }) => body.replayed).length, ARRIVAL_TIMEOUT)
    .toBe(1);
  await expect.poll(() => replayed().length, ARRIVAL_TIMEOUT).toBe(2);
  expect(new Set(deliveriesAbout(patient.id).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  await press(page, 'Escape', hidden(sheet));

  await page.getByRole('button', { name: 'Send again…' }).click();
  const replayDialog = page.getByRole('dialog', { name: `Send again to ${name}` });
  await replayDialog.getByRole('checkbox', { name: 'Patients' }).check();
  await replayDialog.getByRole('button', { name: 'Send again' }).click();
  await expect(replayDialog).toBeHidden();
  await expect.poll(() => replayed().length, ARRIVAL_TIMEOUT).toBe(3);

  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Switch off' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Switch off' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'It was switched off by hand' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send a test' })).toHaveCount(0);
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Switch on' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Switch on' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'It was switched off by hand' })).toHaveCount(0);

  // Health data is sent only after a confirmation.
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  const change = page.getByRole('dialog', { name: `Change ${name}` });
  await change.getByRole('radio', { name: /^With the record/ }).click();
  await change.getByRole('button', { name: 'Save changes' }).click();
  await expect(change).toContainText('Confirm that health data may be sent to this address.');
  await change.getByRole('checkbox', { name: 'Health data may be sent to this address' }).check();
  await change.getByRole('button', { name: 'Save changes' }).click();
  await expect(change).toBeHidden();
  const added = await api.createPatient();
  await expect.poll(() => deliveriesAbout(added.id)[0]?.raw ?? '', ARRIVAL_TIMEOUT).toContain(added.last_name!);
  await deleteReceiver(page, id);
});

test('the pages of a receiver are accessible and fit, with any URL', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  test.slow();
  const long = 'a-very-long-part-of-an-address-'.repeat(20);
  receiver.status = 500;
  const { id } = await api.call<{ id: string }>('/webhook_endpoints', {
    url: `${receiver.url}/${long}`,
    event_types: ['patient', 'subscription.payment_failed', 'appointment.scheduled'],
    description: `Long${'words'.repeat(40)}`,
    chaos: { delay_ms: 100, duplicates: 1 },
  });
  const patient = await api.createPatient();
  await expect.poll(() => deliveriesAbout(patient.id).length, ARRIVAL_TIMEOUT).toBeGreaterThan(0);
  await signIn('admin');
  await page.goto('/settings/webhooks');
  await page.getByRole('table', { name: 'Webhooks' }).waitFor();
  await expectAccessibleAndFits(page);
  await page.goto(`/settings/webhooks/${id}`);
  const table = page.getByRole('table', { name: 'What was sent' });
  await table.waitFor();
  await expect(page.getByRole('status').filter({ hasText: 'The last try did not arrive' })).toBeVisible();
  await expectAccessibleAndFits(page);
  await table.getByRole('button', { name: 'Patient created' }).first().click();
  await page.getByRole('group', { name: 'Headers: what was sent' }).waitFor();
  await expectAccessibleAndFits(page);
  await press(page, 'Escape', hidden(page.getByRole('dialog')));
  await page.getByRole('button', { name: 'Send again…' }).click();
  await page.getByRole('dialog').getByLabel('What happened since').waitFor();
  await expectFits(page);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await deleteReceiver(page, id);
});
