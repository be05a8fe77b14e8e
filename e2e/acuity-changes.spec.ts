import type { Page } from '@playwright/test';
import type { AppointmentView } from '#contract/scheduling.ts';
import { patientName, randomMark } from './api.ts';
import { expect, test } from './fixtures.ts';

const WITHIN = { timeout: 40_000 };

/** A morning next week without other bookings, as Acuity's page and `localTime` of its calendar write it. */
function someDawn(): (minute: number) => string {
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

test('bookings, moves and cancellations on Acuity’s own page appear here, and a booking of an unknown person is matched', async ({
  page,
  visitor: acuity,
  signIn,
  api,
}) => {
  test.slow();
  const atDawn = someDawn();
  const patient = await api.createPatient();
  const who = `Robin ${randomMark().slice(-8)}`;
  await signIn('admin');
  await openAcuity(page, acuity);
  const form = acuity.locator('form').filter({ has: acuity.getByRole('button', { name: 'Book', exact: true }) });
  await form.getByLabel('Calendar’s time').fill(atDawn(10));
  await form.getByLabel('First name').fill('Robin');
  await form.getByLabel('Last name').fill(who.slice('Robin '.length));
  await form.getByRole('button', { name: 'Book', exact: true }).click();
  await expect(acuity.getByText(who).first()).toBeAttached();

  await page.goto('/appointments/unmatched');
  await page.getByRole('button', { name: `What to do with the booking for ${who}` }).click(WITHIN);
  await page.getByRole('menuitem', { name: 'Attach to a patient' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').fill(patient.last_name!);
  await page.getByRole('option').first().click();
  await dialog.getByRole('button', { name: 'Attach' }).click();
  await expect(page.getByText(`It is ${patientName(patient)}’s appointment now`)).toBeVisible();
  const [appointment] = await api.appointmentsOf(patient.id);
  const now = () => api.call<AppointmentView>(`/appointments/${appointment!.id}`);
  expect((await now()).from_date).toContain(atDawn(10));

  const act = async (name: 'Move' | 'Cancel', fill: () => Promise<void>) => {
    await acuity.getByText(`Move, cancel, did not come (${who})`).click();
    await fill();
    await acuity.getByRole('button', { name: `${name}: ${who}` }).click();
  };
  await act('Move', async () => {
    const move = acuity.locator('form').filter({ has: acuity.getByRole('button', { name: `Move: ${who}` }) });
    await move.getByLabel('Calendar’s time').fill(atDawn(40));
  });
  await expect.poll(async () => (await now()).from_date, WITHIN).toContain(atDawn(40));
  await page.goto(`/appointments/${appointment!.id}`);
  const lines = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
  await expect(lines.first()).toContainText('An appointment was moved');
  await act('Cancel', async () => {});
  await expect(page.getByText('It was canceled. No reason was given.')).toBeVisible(WITHIN);
  await expect(lines.first()).toContainText('An appointment was canceled');
});
