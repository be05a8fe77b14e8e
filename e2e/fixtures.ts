import { type Browser, type BrowserContext, test as base, type Page } from '@playwright/test';
import { type Api, askToken, createApi, tokenOf } from './api.ts';
import { type Role, readCard, staffOf } from './card.ts';
import { createWatch, type Watch } from './watch.ts';

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;
type SharedFixtures = { api: Api; sessionOf: (role: Role) => Promise<Session> };
type Fixtures = {
  /** Any trouble on a page fails the test unless it was announced here. */
  watch: Watch;
  /** Signs a role in, past the form, which has a journey of its own. */
  signIn: (role: Role) => Promise<void>;
  /** A page of somebody else, in a browser that knows nothing of the first: the patient's, say. */
  visitor: Page;
};

export const test = base.extend<Fixtures, SharedFixtures>({
  api: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures' names from this pattern.
    async ({}, use) => {
      const { client_id, client_secret } = readCard();
      await use(createApi(await tokenOf(await askToken(client_id, client_secret))));
    },
    { scope: 'worker' },
  ],
  sessionOf: [
    async ({ browser }, use) => {
      const sessions = new Map<Role, Session>();
      await use(async (role) => {
        const session = sessions.get(role) ?? (await sessionFromForm(browser, role));
        sessions.set(role, session);
        return session;
      });
    },
    { scope: 'worker' },
  ],
  watch: [
    async ({ context }, use) => {
      const watch = createWatch();
      watch.follow(context);
      await use(watch);
      test.expect(watch.findings()).toEqual([]);
    },
    { auto: true },
  ],
  signIn: async ({ context, sessionOf }, use) => {
    await use(async (role) => context.addCookies((await sessionOf(role)).cookies));
  },
  visitor: async ({ browser, watch }, use) => {
    const context = await browser.newContext();
    watch.follow(context);
    await use(await context.newPage());
    await context.close();
  },
});

export const { expect } = test;

/** Fills the form on the sign-in page. */
export async function fillSignIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function sessionFromForm(browser: Browser, role: Role): Promise<Session> {
  const page = await browser.newPage({ baseURL: readCard().portal_url });
  await page.goto('/sign-in');
  await fillSignIn(page, staffOf(role));
  await page.getByRole('heading', { name: 'Today' }).waitFor();
  const session = await page.context().storageState();
  await page.context().close();
  return session;
}

/** The page hears nothing of what is changed elsewhere, by another journey say. */
export const tellNothingLive = (page: Page): Promise<unknown> => page.route('**/api/live*', () => {});
