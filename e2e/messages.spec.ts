import { expectAccessible } from './accessible.ts';
import { randomSuffix } from './api.ts';
import { expect, test } from './fixtures.ts';
import { awaitMail } from './inbox.ts';

test('a clinic’s texts are changed, tested, received by the next patient, and reset', { tag: '@prove' }, async ({
  page,
  signIn,
  api,
}) => {
  const subject = `We look forward to you (${randomSuffix().slice(-6)})`;
  await signIn('admin');
  await page.goto('/settings/messages');
  const words = page.getByRole('region', { name: 'Words' });
  await words.getByLabel('Subject of the email').fill(subject);
  await words.getByRole('button', { name: 'Show preview' }).click();
  await expect(words.getByText(subject)).toBeVisible();
  const email = words.frameLocator('iframe');
  await expect(email.getByText(/^Hello Ada/)).toBeVisible();
  await expect(email.locator('body')).toHaveCSS('max-width', '576px');
  await email.getByRole('link').first().click();
  await expect(email.getByText(/^Hello Ada/)).toBeVisible();
  await words.getByRole('button', { name: 'Save wording' }).click();
  await expect(page.getByText('Wording saved')).toBeVisible();

  const patient = await api.createPatient();
  const appointment = await api.book(patient.id);
  expect((await awaitMail(patient.email!, subject)).text).toContain(appointment.video_call_url);
  await page.goto(`/appointments/${appointment.id}`);
  const sent = page.getByRole('listitem').filter({ hasText: 'Confirmation, by email' });
  await expect(sent.getByText('Sent', { exact: true })).toBeVisible();

  await page.goto('/settings/messages');
  await words.getByRole('button', { name: 'Reset to the default wording' }).click();
  await words.getByRole('button', { name: 'Save wording' }).click();
  await expect(page.getByText('Wording saved')).toBeVisible();
  await expect(words.getByLabel('Subject of the email')).not.toHaveValue(subject);
});

test('a reminder is withheld, sent, and its reader ends reminders by its link', async ({
  page,
  visitor,
  signIn,
  api,
}) => {
  const patient = await api.createPatient();
  const appointment = await api.book(patient.id);
  await awaitMail(patient.email!);
  await signIn('practitioner');
  await page.goto(`/appointments/${appointment.id}`);
  const reminder = page.getByRole('listitem').filter({ hasText: 'Reminder 1 hour before, by email' });
  await reminder.getByRole('button', { name: /^Don’t send/ }).click();
  await expect(reminder.getByText('Will not be sent', { exact: true })).toBeVisible();
  await reminder.getByRole('button', { name: /^Send now/ }).click();
  await expect(
    page.getByRole('listitem').filter({ hasText: 'Reminder 1 hour before' }).getByText('Sent', { exact: true }),
  ).toBeVisible();

  let link = '';
  await expect(async () => {
    [link = ''] = (await awaitMail(patient.email!)).text.match(/https?:\/\/\S+\/choices\S*/) ?? [];
    expect(link).not.toBe('');
  }).toPass({ timeout: 30_000 });
  await visitor.goto(link);
  await visitor.getByRole('button', { name: 'End reminders by email' }).waitFor();
  await expectAccessible(visitor);
  await visitor.getByRole('button', { name: 'End reminders by email' }).click();
  await expect(visitor.getByText('They are not sent to you.')).toBeVisible();
  await expectAccessible(visitor);

  await page.goto(`/patients/${patient.id}`);
  const card = page.getByRole('region', { name: 'Reminders' });
  await card.getByText('What they said').click();
  await expect(card.getByRole('list', { name: 'What they said' })).toContainText('no reminders by email');
});
