import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { randomSuffix } from './api.ts';
import { expect, test } from './fixtures.ts';
import { awaitMail, awaitMails, linkIn, temporaryPasswordIn } from './inbox.ts';
import { allowInvitations, expireInvitation } from './invitations.ts';
import { expectSignedIn, openPlayground } from './playground.ts';
import { hidden, press } from './press.ts';

const PASSWORD = 'seven quiet rivers run';

async function invite(page: Page, firstName: string, email: string): Promise<void> {
  await page.goto('/patients');
  await page.getByRole('button', { name: 'Invite patient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite patient' });
  await dialog.getByLabel('First name').fill(firstName);
  await dialog.getByLabel('Last name').fill('Example');
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `${firstName} Example` })).toBeVisible();
}

async function setPassword(visitor: Page, temporaryPassword: string): Promise<void> {
  await visitor.getByLabel('Temporary password').fill(temporaryPassword);
  await visitor.getByLabel('New password').fill(PASSWORD);
  await visitor.getByRole('button', { name: 'Set password' }).click();
}

test('an admin allows invitations, staff invite, and the patient sets a password', async ({
  page,
  visitor,
  signIn,
}) => {
  const email = `maple-${randomSuffix()}@patients.example.test`;
  await signIn('admin');
  await allowInvitations(page);
  await invite(page, 'Maple', email);
  await expect(page.getByRole('button', { name: 'Send invitation again' })).toBeVisible();

  const mail = await awaitMail(email);
  await visitor.goto(linkIn(mail));
  await expect(visitor.getByLabel('Email address'), 'from the link').toHaveValue(email);
  await expectAccessible(visitor);
  await visitor.getByRole('button', { name: 'Send me another invitation' }).click();
  await expect(visitor.getByText(`If ${email} was invited`)).toBeVisible();
  await awaitMails(email, 2);
  expect(temporaryPasswordIn(await awaitMail(email)), 'the earlier password stays valid').toBe(
    temporaryPasswordIn(mail),
  );
  await setPassword(visitor, temporaryPasswordIn(mail));
  await expect(visitor.getByText('Your password is set')).toBeVisible();

  await page.reload();
  await expect(page.getByText('Active', { exact: true })).toBeVisible();
  await expect(page.getByText('Signs in by email and password.')).toBeVisible();
});

test('an expired invitation says so, and staff or the patient send another', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  watch,
}) => {
  watch.allow(/403/);
  const email = `hazel-${randomSuffix()}@patients.example.test`;
  await signIn('admin');
  await allowInvitations(page);
  await invite(page, 'Hazel', email);
  const mail = await awaitMail(email);
  await expireInvitation(email);

  await visitor.goto(linkIn(mail));
  await expect(visitor.getByLabel('Email address')).toHaveValue(email);
  await setPassword(visitor, temporaryPasswordIn(mail));
  await expect(visitor.getByText('This invitation has expired.')).toBeVisible();
  await expectAccessible(visitor);
  await visitor.getByRole('button', { name: 'Send me another invitation' }).click();
  await expect(visitor.getByText(`If ${email} was invited`)).toBeVisible();
  await expect(async () => expect((await awaitMail(email)).text).not.toBe(mail.text)).toPass();
  const second = await awaitMail(email);

  await expireInvitation(email);
  await page.reload();
  await page.getByRole('button', { name: 'Send invitation again' }).click();
  await expect(async () => expect((await awaitMail(email)).text).not.toBe(second.text)).toPass();
  await setPassword(visitor, temporaryPasswordIn(await awaitMail(email)));
  await expect(visitor.getByText('Your password is set')).toBeVisible();
});

test('a patient created by the API is invited on their page, sets a password and signs in', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  api,
}) => {
  test.slow();
  const patient = await api.createPatient('Linden');
  const email = patient.email ?? '';
  await signIn('admin');
  await allowInvitations(page);
  await page.goto(`/patients/${patient.id}`);
  const card = page.getByRole('region', { name: 'Sign-in' });
  await expect(card.getByText('Does not sign in. Your clinic keeps this record for them.')).toBeVisible();
  await expectAccessible(page);
  await card.getByRole('button', { name: 'Invite to sign in' }).click();
  await expect(page.getByText('Invitation sent', { exact: true })).toBeVisible();
  await expect(page.getByText('Invited', { exact: true })).toBeVisible();
  await expect(card.getByRole('button', { name: 'Send invitation again' })).toBeVisible();
  await expect(card.getByRole('button', { name: 'Invite to sign in' })).toBeHidden();

  const mail = await awaitMail(email);
  await visitor.goto(linkIn(mail));
  await expect(visitor.getByLabel('Email address')).toHaveValue(email);
  await setPassword(visitor, temporaryPasswordIn(mail));
  await expect(visitor.getByText('Your password is set')).toBeVisible();

  await openPlayground(visitor);
  await visitor.getByRole('radio', { name: 'Email' }).click();
  await visitor.getByRole('button', { name: 'Sign in', exact: true }).click();
  await visitor.getByLabel('Email address').fill(email);
  await visitor.getByLabel('Password').fill(PASSWORD);
  await visitor.getByRole('button', { name: 'Sign in', exact: true }).last().click();
  await expectSignedIn(visitor);
  await expect(visitor.getByLabel('First name')).toHaveValue('Linden');

  await page.reload();
  await expect(page.getByText('Active', { exact: true })).toBeVisible();
  await expect(card.getByText('Signs in by email and password.')).toBeVisible();
  await expect(card.getByRole('button', { name: 'Invite to sign in' })).toBeHidden();
});

test('an accepted invitation says so, with the clinic’s name', { tag: '@prove' }, async ({
  page,
  visitor,
  signIn,
  watch,
}) => {
  watch.allow(/422/);
  const email = `rowan-${randomSuffix()}@patients.example.test`;
  await signIn('admin');
  await allowInvitations(page);
  await invite(page, 'Rowan', email);
  const sent = page.getByRole('region', { name: 'Links sent' }).getByRole('listitem');
  await expect(sent).toHaveText(new RegExp(`Invitation to sign in.*to ${email}.*Open`));
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit details' }).click();
  await expect(page.getByRole('dialog').getByLabel('Email')).toHaveAccessibleDescription(/ends the invitation/);
  await press(page, 'Escape', hidden(page.getByRole('dialog')));
  const mail = await awaitMail(email);
  await visitor.goto(linkIn(mail));
  await setPassword(visitor, temporaryPasswordIn(mail));
  await expect(visitor.getByText('Your password is set')).toBeVisible();
  await visitor.reload();
  await expect(visitor.getByRole('heading', { level: 1, name: 'This invitation is over' })).toBeVisible();
  await expect(visitor.getByText(/your clinic took it back/)).toBeVisible();
  await expect(visitor.getByText('Riverbend Clinic').first()).toBeVisible();
  await expectAccessible(visitor);
  await page.reload();
  await expect(sent).toHaveText(new RegExp(`Invitation to sign in.*to ${email}.*Answered`));
});

test('an invitation without its link says so', { tag: '@prove' }, async ({ visitor }) => {
  await visitor.goto('/invitation');
  await expect(visitor.getByText('This link is incomplete')).toBeVisible();
});
