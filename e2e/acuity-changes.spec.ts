import type { Page } from '@playwright/test';
import type { AppointmentView } from '#contract/scheduling.ts';
import { patientName, randomSuffix } from './api.ts';
import { expect, test } from './fixtures.ts';

const SYNC_TIMEOUT = { timeout: 40_000 };

/** A morning next week without other bookings, as Acuity's page and `localTime` of its calendar write it. */
function earlyMorning(): (minute: number) => string {
  const day = new Date(Date.now() + 8 * 86_400_000).toISOString().slice(0, 10);
  return (minute) => `${day}T05:${String(minute).padStart(2, '0')}`;
}

async function openAcuity(page: Page, acuity: Page): Promise<void> {
  await page.goto('/settings/integrations');
  const card = page.getByRole('region', { name: 'Acuity Scheduling', exact: true });
  await acuity.goto(
    (await card.getByRole('link', { name: 'The sandbox’s Acuity', exact: true }).getAttribute('href'))!,
  );
}

test('appointments that are booked, moved and canceled on Acuity’s own page appear in the portal, and staff match a booking of an unknown person', async ({
  page,
  visitor: acuity,
  signIn,
  api,
}) => {
  test.slow();
  const timeAt = earlyMorning();
  const patient = await api.createPatient();
  const fullName = `Robin ${randomSuffix().slice(-8)}`;
  await signIn('admin');
  await openAcuity(page, acuity);
  const form = acuity.locator('form').filter({ has: acuity.getByRole('button', { name: 'Book', exact: true }) });
  await form.getByLabel('Calendar’s time').fill(timeAt(10));
  await form.getByLabel('First name').fill('Robin');
  await form.getByLabel('Last name').fill(fullName.slice('Robin '.length));
  await form.getByRole('button', { name: 'Book', exact: true }).click();
  await expect(acuity.getByText(fullName).first()).toBeAttached();

  await page.goto('/appointments/unmatched');
  await page.getByRole('button', { name: `Actions for the booking for ${fullName}` }).click(SYNC_TIMEOUT);
  await page.getByRole('menuitem', { name: 'Attach to a patient' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').fill(patient.last_name!);
  await page.getByRole('option').first().click();
  await dialog.getByRole('button', { name: 'Attach' }).click();
  await expect(page.getByText(`It is ${patientName(patient)}’s appointment now`)).toBeVisible();
  const [appointment] = await api.appointmentsOf(patient.id);
  const getAppointment = () => api.call<AppointmentView>(`/appointments/${appointment!.id}`);
  expect((await getAppointment()).from_date).toContain(timeAt(10));

  const change = async (name: 'Move' | 'Cancel', fill: () => Promise<void>) => {
    await acuity.getByText(`Move, cancel, did not come (${fullName})`).click();
    await fill();
    await acuity.getByRole('button', { name: `${name}: ${fullName}` }).click();
  };
  await change('Move', async () => {
    const move = acuity.locator('form').filter({ has: acuity.getByRole('button', { name: `Move: ${fullName}` }) });
    await move.getByLabel('Calendar’s time').fill(timeAt(40));
  });
  await expect.poll(async () => (await getAppointment()).from_date, SYNC_TIMEOUT).toContain(timeAt(40));
  await page.goto(`/appointments/${appointment!.id}`);
  const lines = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
  await expect(lines.first()).toContainText('An appointment was moved');
  await change('Cancel', async () => {});
  await expect(page.getByText('It was canceled. No reason was given.')).toBeVisible(SYNC_TIMEOUT);
  await expect(lines.first()).toContainText('An appointment was canceled');
});
