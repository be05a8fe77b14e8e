import { randomInt } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { BREAKS } from '#emulators/acuity/breaks.ts';
import { expectAccessible } from './accessible.ts';
import { PORTAL_HEADERS } from './api.ts';
import { readCard } from './card.ts';
import { expect, test } from './fixtures.ts';
import { openNewClinic } from './open-new-clinic.ts';
import { inServedDatabase } from './served-database.ts';

const card = (page: Page): Locator => page.getByRole('region', { name: 'Acuity Scheduling', exact: true });
const findings = (page: Page): Locator => card(page).getByRole('list', { name: 'What to fix' });
/** Findings that can be repaired; advice has no repair. */
const faults = (page: Page): Locator =>
  findings(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: /^Repair/ }) });
const checkNow = async (page: Page): Promise<void> => {
  await card(page).getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Acuity Scheduling was checked').last().waitFor();
};

async function readSettings(page: Page): Promise<void> {
  const response = await page.request.post('/api/trpc/integrations.check', {
    headers: PORTAL_HEADERS,
    data: { provider: 'acuity' },
  });
  if (!response.ok()) throw new Error(await response.text());
}

/**
 * Books the first slot of the last day that has one, for a new patient.
 * @returns the patient's id
 */
async function bookAppointment(page: Page, suffix: string): Promise<string> {
  const response = await page.request.post('/api/trpc/patients.create', {
    headers: PORTAL_HEADERS,
    data: { first_name: 'Maple', last_name: 'Example', email: `maple-${suffix}@example.test` },
  });
  const { id } = (await response.json()).result.data;
  await page.goto(`/patients/${id}`);
  await page.getByRole('button', { name: 'Book appointment' }).click();
  const dialog = page.getByRole('dialog', { name: 'Book an appointment for Maple Example' });
  await dialog.getByLabel('Appointment type').click();
  await page.getByRole('option', { name: /Follow-up visit/ }).click();
  await dialog
    .getByRole('tab', { name: /, \d+ free times/ })
    .last()
    .click();
  await dialog
    .getByRole('radiogroup', { name: /^Times on/ })
    .getByRole('radio')
    .first()
    .click();
  await dialog.getByRole('button', { name: /^Book / }).click();
  await expect(page.getByText('Appointment booked')).toBeVisible();
  return id;
}

/** Creates an account at the Acuity emulator, as a customer who has not connected Carelane. */
async function createAccount(calendars: { id: number; name: string; email: string }[]) {
  const userId = String(randomInt(10_000_000, 99_999_999));
  const origin = new URL(readCard().emulators.acuity).origin;
  const response = await fetch(`${origin}/_emulator/accounts/${userId}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiKey: 'the-right-key', name: 'Lakeside Clinic', timezone: 'America/New_York', calendars }),
  });
  if (!response.ok) throw new Error(await response.text());
  return { userId, origin };
}

test.describe('Acuity', () => {
  test.slow();

  test('is connected in a new clinic, books an appointment, is disconnected and connected again', {
    tag: '@prove',
  }, async ({ page, watch }) => {
    // For the wrong key.
    watch.allow(/422/);
    const email = await openNewClinic(page);
    const { userId, origin } = await createAccount([{ id: 501, name: 'Willow Example', email }]);
    await page.goto('/settings/integrations');
    await card(page).getByRole('button', { name: 'Connect' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect Acuity Scheduling' });
    await expectAccessible(page);
    await dialog.getByLabel('User ID').fill(userId);
    await dialog.getByLabel('API key').fill('the-wrong-key');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await expect(dialog).toContainText('Acuity rejects this User ID and API key.');
    await dialog.getByLabel('API key').fill('the-right-key');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Acuity Scheduling is connected').waitFor();
    await expect(card(page).getByText('Connected', { exact: true })).toBeVisible();
    await expect(card(page)).toContainText('Acuity sends patients emails and texts of its own');
    await expect(faults(page)).toHaveCount(0);
    await expectAccessible(page);

    const id = await bookAppointment(page, userId);

    // The appointment is on the provider's own page, to which the portal links.
    await page.goto('/settings/integrations');
    const [acuityPage] = await Promise.all([
      page.waitForEvent('popup'),
      card(page).getByRole('link', { name: 'The sandbox’s Acuity', exact: true }).click(),
    ]);
    expect(acuityPage.url()).toBe(`${origin}/console/${userId}`);
    await expect(acuityPage.getByRole('region', { name: 'Appointments' })).toContainText('Maple Example');
    await expectAccessible(acuityPage);

    await test.step('an appointment whose type is no longer offered is not moved, and says why', async () => {
      await page.goto(`/patients/${id}`);
      const table = page.getByRole('table', { name: 'Appointments of Maple Example' });
      await table.getByRole('link', { name: 'Follow-up visit' }).click();
      const move = page.getByRole('button', { name: 'Move', exact: true });
      await move.waitFor();
      await acuityPage.getByRole('button', { name: 'Break: No appointment type is active', exact: true }).click();
      const repair = acuityPage.getByRole('button', { name: 'Repair: No appointment type is active', exact: true });
      await repair.waitFor();
      // The page's data is stale; the next request reads the settings again.
      await readSettings(page);
      await move.click();
      const cannotMoveDialog = page.getByRole('dialog', { name: 'This appointment cannot be moved' });
      await expect(cannotMoveDialog).toContainText('Cancel it and book another');
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await expect(cannotMoveDialog).toHaveCount(0);
      await expect(page.getByText('Its type or calendar is no longer offered.')).toBeVisible();
      await expect(move).toHaveCount(0);
      await repair.click();
      await acuityPage.getByRole('button', { name: 'Break: No appointment type is active', exact: true }).waitFor();
      await readSettings(page);
      await page.reload();
      await expect(move).toBeVisible();
    });
    await acuityPage.close();
    await page.goto('/settings/integrations');

    await card(page).getByRole('button', { name: 'Disconnect' }).click();
    const confirmation = page.getByRole('alertdialog', { name: 'Disconnect Acuity Scheduling?' });
    await expect(confirmation).toContainText('In Acuity nothing is canceled');
    await expectAccessible(page);
    await confirmation.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('Acuity Scheduling is disconnected').waitFor();
    await expect(card(page)).toContainText('Scheduling is not connected');
    await page.goto(`/patients/${id}`);
    await expect(page.getByRole('table', { name: 'Appointments of Maple Example' })).toContainText('Booked');

    await test.step('booked appointments are still found', async () => {
      await page.goto('/practitioners');
      await expect(page.getByText('Acuity is disconnected.', { exact: true })).toBeVisible();
      await expectAccessible(page);
      await page.getByRole('link', { name: '1 upcoming appointment' }).click();
      const list = page.getByRole('table', { name: 'Appointments' });
      await expect(list).toContainText('Maple Example');
      await expect(list).toContainText('Acuity is not connected');
      const input = encodeURIComponent(JSON.stringify({ patient_id: id }));
      const response = await page.request.get(`/api/trpc/appointments.list?input=${input}`);
      const [appointment] = (await response.json()).result.data.items;
      await page.goto(`/calendar?day=${appointment.from_date.slice(0, 10)}`);
      await expect(page.getByText('Acuity is disconnected.', { exact: true })).toBeVisible();
      await page
        .locator('.visit-grid')
        .getByRole('button', { name: /Maple Example/ })
        .click();
      const sheet = page.getByRole('dialog', { name: 'Maple Example' });
      await sheet.getByRole('button', { name: 'Move', exact: true }).click();
      await expect(page.getByRole('dialog', { name: 'This appointment cannot be moved' })).toContainText(
        'Move the appointment in Acuity itself',
      );
    });

    const connect = async (id: string, button: string) => {
      await page.goto('/settings/integrations');
      await card(page).getByRole('button', { name: button }).click();
      await dialog.getByLabel('User ID').fill(id);
      await dialog.getByLabel('API key').fill('the-right-key');
      await dialog.getByRole('button', { name: 'Connect' }).click();
      await page.getByText('Acuity Scheduling is connected').waitFor();
      await expect(card(page).getByText('Connected', { exact: true })).toBeVisible();
    };
    await test.step('an appointment of a former account is distinguished from the calendar of that name, and counted', async () => {
      const otherAccount = await createAccount([{ id: 601, name: 'Willow Example', email }]);
      await connect(otherAccount.userId, 'Connect');
      await page.goto('/practitioners');
      await expect(page.getByText('Acuity does not offer Willow Example (former) any more')).toBeVisible();
      await page.goto('/');
      // Payments are not connected yet.
      await expect(page.getByText('Next steps', { exact: true })).toBeVisible();
      await page.getByRole('link', { name: '1 appointment ahead cannot be moved' }).click();
      await expect(page.getByRole('table', { name: 'Appointments' })).toContainText('In a former Acuity account');
    });
    await connect(userId, 'Change the connection');
  });

  test('reports each finding, and each is repaired', { tag: '@prove' }, async ({ page, context }) => {
    test.setTimeout(300_000);
    const email = await openNewClinic(page);
    const secondEmail = `second-${email}`;
    await inServedDatabase(
      `insert into staff_users (id, tenant_id, email, name, role, updated_at)
       select gen_random_uuid(), tenant_id, $2, 'Aspen Example', 'practitioner', now() from staff_users where email = $1`,
      [email, secondEmail],
    );
    const { userId, origin } = await createAccount([
      { id: 501, name: 'Willow Example', email },
      { id: 502, name: 'Aspen Example', email: secondEmail },
    ]);
    await page.goto('/settings/integrations');
    await card(page).getByRole('button', { name: 'Connect' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect Acuity Scheduling' });
    await dialog.getByLabel('User ID').fill(userId);
    await dialog.getByLabel('API key').fill('the-right-key');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Acuity Scheduling is connected').waitFor();

    const acuityPage = await context.newPage();
    await acuityPage.goto(`${origin}/console/${userId}`);
    const checkUntil = async (count: number): Promise<void> => {
      await checkNow(page);
      await expect(faults(page)).toHaveCount(count);
    };
    for (const [code, { label }] of Object.entries(BREAKS))
      await test.step(code, async () => {
        await acuityPage.getByRole('button', { name: `Break: ${label}`, exact: true }).click();
        await acuityPage.getByRole('button', { name: `Repair: ${label}`, exact: true }).waitFor();
        const isSilent = code === 'webhooks_silent';
        if (isSilent) {
          // Silence is detected by a booking without a webhook, which may take 30 s.
          await bookAppointment(page, userId);
          await page.goto('/settings/integrations');
          await expect(() => checkUntil(1)).toPass({ timeout: 90_000 });
        } else await checkUntil(1);
        await faults(page)
          .getByRole('button', { name: /^Repair/ })
          .click();
        // The lost webhook arrives after the repair.
        if (isSilent) await expect(() => checkUntil(0)).toPass({ timeout: 30_000 });
        await expect(faults(page)).toHaveCount(0);
        await expect(card(page).getByText('Connected', { exact: true })).toBeVisible();
        await acuityPage.reload();
        await expect(acuityPage.getByRole('button', { name: /^Repair: / })).toHaveCount(0);
      });
  });
});
