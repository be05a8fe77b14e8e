import { randomInt } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import type { PatientView } from '#contract/patients.ts';
import { type Api, randomSuffix } from './api.ts';
import { readCard } from './card.ts';
import { awaitCode } from './inbox.ts';
import { payWith } from './stripe.ts';

export const PASSWORD = 'seven quiet rivers run';
/**
 * In these area codes the numbers 555-0100 to 555-0199 are unassigned (North American Numbering Plan). 312 is left out:
 * its codes are fixed.
 */
const AREA_CODES =
  '202 205 206 208 212 213 214 215 216 217 303 304 305 307 308 309 313 314 315 401 402 404 405 406 407 408 409 410 412 501 502 503 504 505 507 508 509 510 512 601 602 603 605 606 607 608 609 610 612 701 702 703 704 706 707 708 712 713 714'.split(
    ' ',
  );

export const patientsWithPhone = (api: Api, phone: string): Promise<PatientView[]> =>
  findPatients(api, 'primary_phone_number', phone);
export const patientsWithEmail = (api: Api, email: string): Promise<PatientView[]> => findPatients(api, 'email', email);

function findPatients(api: Api, field: string, value: string): Promise<PatientView[]> {
  const filter = JSON.stringify({ field, operator: 'eq', value });
  return api.call(`/patients?${new URLSearchParams({ 'filters[]': filter })}`);
}

/** A number without a patient. */
export async function newPhone(api: Api): Promise<string> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const phone = `+1${AREA_CODES[randomInt(AREA_CODES.length)]}55501${String(randomInt(100)).padStart(2, '0')}`;
    if ((await patientsWithPhone(api, phone)).length === 0) return phone;
  }
  throw new Error('no number is left');
}

export const newEmail = (): string => `maple-${randomSuffix()}@patients.example.test`;

export async function openPlayground(page: Page): Promise<void> {
  await page.goto(readCard().playground_url);
  await expect(page.getByLabel('Mobile number')).toBeVisible();
}

export async function enterCode(page: Page, code: string, button: string): Promise<void> {
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByRole('button', { name: button, exact: true }).click();
}

/**
 * Fills in the sign-up up to the code.
 * @returns the code that was sent by text message
 */
export async function requestCode(page: Page, phone: string): Promise<string> {
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Last name').fill(`Example ${randomSuffix()}`);
  await page.getByLabel('Mobile number').fill(phone);
  const since = new Date().toISOString();
  await page.getByRole('button', { name: 'Text me a code' }).click();
  await expect(page.getByRole('heading', { name: 'Enter your code', exact: true })).toBeVisible();
  return awaitCode(phone, since);
}

/**
 * Signs a new patient up and in.
 * @returns the patient's id
 */
export async function signUpByPhone(page: Page, api: Api): Promise<string> {
  const phone = await newPhone(api);
  await openPlayground(page);
  await enterCode(page, await requestCode(page, phone), 'Sign in');
  await expectSignedIn(page);
  const [patient] = await patientsWithPhone(api, phone);
  return patient!.id;
}

/** Signs a new patient up and in with a password. */
export async function signUpByEmail(page: Page, email: string): Promise<void> {
  await openPlayground(page);
  await page.getByRole('radio', { name: 'Email' }).click();
  await page.getByLabel('First name').fill('Maple');
  await page.getByLabel('Last name').fill(`Example ${randomSuffix()}`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  const since = new Date().toISOString();
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText(`We emailed a code to ${email}`)).toBeVisible();
  await enterCode(page, await awaitCode(email, since), 'Confirm');
  await signInByEmail(page, PASSWORD);
  await expectSignedIn(page);
}

export async function signInByEmail(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).last().click();
}

export async function expectSignedIn(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
}

/** Opens one of the app's three parts. */
export async function openTab(page: Page, name: 'Profile' | 'Plan' | 'Appointments'): Promise<void> {
  await page.getByRole('navigation', { name: 'App' }).getByRole('button', { name }).click();
}

/** Asserts that an error with this code is shown. */
export async function expectErrorMessage(page: Page, code: string): Promise<void> {
  await expect(page.getByRole('alert').filter({ hasText: code })).toBeVisible();
}

export const payByCard = (page: Page, number: string): Promise<void> => payWith(page, number, /^(Pay \$|Save card)/);

export async function startBooking(page: Page): Promise<void> {
  await openTab(page, 'Appointments');
  await page.getByRole('button', { name: 'Book an appointment' }).click();
  await page.getByRole('radio', { name: /Follow-up visit/ }).click();
}
