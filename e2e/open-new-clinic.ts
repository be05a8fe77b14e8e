import path from 'node:path';
import type { Page } from '@playwright/test';
import { makeClinicOn } from '#dev/attacks/make-clinic.ts';
import { randomSuffix } from './api.ts';
import { cardFile, readCard } from './card.ts';
import { fillSignIn } from './fixtures.ts';

/**
 * Creates a clinic as `npm run create-tenant` does, and signs its admin in.
 * @returns the admin's email
 */
export async function openNewClinic(page: Page): Promise<string> {
  const email = `admin-${randomSuffix()}@clinic.example.test`;
  const make = makeClinicOn(path.dirname(path.resolve(cardFile())), readCard());
  const password = await make('Lakeside Clinic', email);
  await page.goto('/sign-in');
  await fillSignIn(page, { email, password });
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  return email;
}
