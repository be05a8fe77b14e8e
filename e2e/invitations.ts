import { expect, type Page } from '@playwright/test';
import { inServedDatabase } from './served-database.ts';

/** Allows staff to invite, for any previous setting of the clinic. */
export async function allowInvitations(page: Page): Promise<void> {
  await page.goto('/settings/credentials');
  const card = page.getByRole('region', { name: 'Invitations' });
  const turnOn = card.getByRole('button', { name: 'Turn on' });
  await card.getByRole('button', { name: /^Turn o/ }).waitFor();
  if (await turnOn.isVisible()) await turnOn.click();
  await expect(card.getByText('Patients can be invited')).toBeVisible();
}

/** Marks the invitation as expired in the served database, because seven days cannot pass in a test. */
export async function expireInvitation(email: string): Promise<void> {
  const rows = await inServedDatabase(
    `update patient_sign_ins set temporary_until = now() - interval '1 minute'
     where patient_id = (select id from patients where email = $1)`,
    [email],
  );
  if (rows !== 1) throw new Error(`no patient with the address ${email} is invited`);
}
