import { expect, type Locator, type Page } from '@playwright/test';
import { randomSuffix } from './api.ts';
import { awaitMail, linkIn } from './inbox.ts';

export type Colleague = { name: string; email: string; password: string };
/** Roles by their names on the page. */
export type RoleName = 'Admin' | 'Practitioner' | 'Front desk' | 'Billing' | 'Read-only';

/** Chooses a role in a dialog; its radio button is named by the role and its description. */
export const chooseRole = (dialog: Locator, role: RoleName) =>
  dialog.getByRole('radio', { name: new RegExp(`^${role}`) }).check();

/** Fills in the invitation of a new colleague on the admin's page. */
export async function inviteColleague(admin: Page, role: RoleName): Promise<Colleague> {
  const suffix = randomSuffix();
  const colleague = {
    name: `Juniper Example ${suffix}`,
    email: `juniper-${suffix}@riverbend.example.test`,
    password: 'seven quiet rivers run',
  };
  await admin.goto('/settings/team');
  await admin.getByRole('button', { name: 'Invite colleague' }).click();
  const dialog = admin.getByRole('dialog', { name: 'Invite colleague' });
  await dialog.getByLabel('Name').fill(colleague.name);
  await dialog.getByLabel('Work email').fill(colleague.email);
  await chooseRole(dialog, role);
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await expect(admin.getByText('Invitation sent')).toBeVisible();
  return colleague;
}

/** A colleague who was invited and has joined, from a browser of their own. */
export async function createColleague(admin: Page, visitor: Page, role: RoleName): Promise<Colleague> {
  const colleague = await inviteColleague(admin, role);
  await visitor.goto(linkIn(await awaitMail(colleague.email)));
  await visitor.getByLabel('New password').fill(colleague.password);
  await visitor.getByRole('button', { name: 'Join the team' }).click();
  // Joining signs the colleague in at once; tests of the sign-in start without that.
  await expect(visitor.getByRole('heading', { level: 1, name: 'Today' })).toBeVisible();
  // An open page would detect on its own that its session is gone.
  await visitor.goto('about:blank');
  await visitor.context().clearCookies({ name: /session-token/ });
  return colleague;
}
