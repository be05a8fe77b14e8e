import { expectAccessible } from './accessible.ts';
import { expect, test } from './fixtures.ts';
import { awaitMail, linkIn } from './inbox.ts';
import { expectSignedIn, newEmail, patientsWithEmail, signUpByEmail } from './playground.ts';
import { hidden, press } from './press.ts';

test('staff start an email change for a patient who signs in, and only its link completes it', {
  tag: '@prove',
}, async ({ page, visitor, signIn, api, watch }) => {
  watch.allow(/404/);
  // The patient signs up first, and the test waits for three emails.
  test.slow();
  const [before, withdrawn, after] = [newEmail(), newEmail(), newEmail()];
  await signUpByEmail(visitor, before);
  const [patient] = await patientsWithEmail(api, before);
  await signIn('practitioner');
  await page.goto(`/patients/${patient!.id}`);
  await page.getByRole('button', { name: 'Edit details' }).first().click();
  await expect(page.getByRole('dialog').getByLabel(/^e-?mail/i)).toBeDisabled();
  await press(page, 'Escape', hidden(page.getByRole('dialog')));

  const requestChange = async (email: string) => {
    await page.getByRole('button', { name: 'Change email' }).click();
    const dialog = page.getByRole('dialog', { name: /^Change the email address/ });
    await dialog.getByLabel('New email address').fill(email);
    await dialog.getByLabel('How did you make sure who it is?').fill('Passport shown at the front desk');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Email the link' }).click();
    await expect(page.getByText(`Waiting for ${email}`)).toBeVisible();
  };
  await requestChange(withdrawn);
  const withdrawnLink = linkIn(await awaitMail(withdrawn));
  await page.getByRole('button', { name: 'Take it back' }).click();
  await expect(page.getByText(`Waiting for ${withdrawn}`)).toBeHidden();
  await requestChange(after);
  const link = linkIn(await awaitMail(after));
  expect(await patientsWithEmail(api, after)).toEqual([]);

  const phone = await visitor.context().newPage();
  await phone.setViewportSize({ width: 390, height: 844 });
  await phone.goto(withdrawnLink);
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('This link does not work');
  await phone.goto('about:blank');
  await phone.goto(link);
  await expect(phone.getByRole('heading', { level: 1, name: 'Is this your new email address?' })).toBeVisible();
  await expectAccessible(phone);
  await phone.getByRole('button', { name: 'Yes, use this address' }).click();
  await expect(phone.getByRole('heading', { name: 'Your new email address is confirmed' })).toBeVisible();
  await expectAccessible(phone);

  expect(await patientsWithEmail(api, after)).toMatchObject([{ id: patient!.id, email_verified: true }]);
  await visitor.reload();
  await expectSignedIn(visitor);
  expect((await awaitMail(before)).text).toContain('/undo#');
  await page.reload();
  await expect(page.getByText(after).first()).toBeVisible();
});
