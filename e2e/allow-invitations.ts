import { expect, type Page } from '@playwright/test';

/** Allows staff to invite, for any previous setting of the clinic. */
export async function allowInvitations(page: Page): Promise<void> {
  await page.goto('/settings/credentials');
  const card = page.getByRole('region', { name: 'Invitations' });
  const turnOn = card.getByRole('button', { name: 'Turn on' });
  await card.getByRole('button', { name: /^Turn o/ }).waitFor();
  if (await turnOn.isVisible()) await turnOn.click();
  await expect(card.getByText('Patients can be invited')).toBeVisible();
}
