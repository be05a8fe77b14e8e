import type { Locator, Page } from '@playwright/test';
import type { Api } from './api.ts';

/** How one form is opened, filled in wrongly, rightly, and refused. */
export type Walk = {
  /** Under src/web/portal or src/web/patient: a test sees to it that none is missing. */
  file: string;
  /** Opens the form and gives what it stands in. */
  open: (page: Page, api: Api) => Promise<Locator>;
  submit: string;
  /** Nothing given is no fault of this form. */
  mayBeEmpty?: true;
  /** Labels, and what is wrong in them. */
  wrong?: Record<string, string>;
  /** Labels, and what passes all that the page knows. */
  right: Record<string, string>;
  /** What is chosen rather than typed. */
  choose?: (form: Locator, page: Page) => Promise<void>;
  /** The call that is refused. */
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
