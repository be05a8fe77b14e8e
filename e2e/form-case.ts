import type { Locator, Page } from '@playwright/test';
import type { Api } from './api.ts';

/** How a form is opened, and filled in wrongly, correctly, and with a rejection by the server. */
export type FormCase = {
  /**
   * Path under src/web/portal or src/web/patient, with ": name" where the file has several forms. A test checks that
   * none is missing.
   */
  file: string;
  /** Opens the form and returns its container. */
  open: (page: Page, api: Api) => Promise<Locator>;
  submit: string;
  /** Empty input is valid in this form. */
  mayBeEmpty?: true;
  /** Labels, with invalid values. */
  invalid?: Record<string, string>;
  /** Labels, with values that pass all client-side validation. */
  valid: Record<string, string>;
  /** Fills controls that are chosen rather than typed. */
  choose?: (form: Locator, page: Page) => Promise<void>;
  /** The call that is rejected. */
  call: string;
};

export const dialogBehind = (path: string, button: string) => async (page: Page) => {
  await page.goto(path);
  await page.getByRole('button', { name: button }).first().click();
  return page.getByRole('dialog');
};
export const regionOn = (path: string, name: string) => async (page: Page) => {
  await page.goto(path);
  return page.getByRole('region', { name });
};
export const LONG = 'x'.repeat(400);
