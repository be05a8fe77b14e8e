import { type Browser, type BrowserContext, test as base, type Page } from '@playwright/test';
import type { Role } from '#contract/roles.ts';
import { type Api, createApi, requestToken, tokenOf } from './api.ts';
import { readCard, staffOf } from './card.ts';
import { awaitHydration } from './hydration.ts';
import { createWatch, type Watch } from './watch.ts';

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;
/** A session without activity ends after half an hour, which a long run exceeds; so sessions are renewed earlier. */
const SESSION_TTL_MS = 15 * 60_000;

type SharedFixtures = { api: Api; sessionOf: (role: Role) => Promise<Session> };
type Fixtures = {
  /** Cancels what the test has booked through the API, so that the next test finds the same slots free. */
  releaseSlots: undefined;
  /** Any error on a page fails the test unless it was announced here. */
  watch: Watch;
  /** Signs a role in without the form, which has a test of its own. */
  signIn: (role: Role) => Promise<void>;
  /** A page in a separate browser context, such as the patient's. */
  visitor: Page;
};

export const test = base.extend<Fixtures, SharedFixtures>({
  api: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures' names from this pattern.
    async ({}, use) => {
      const { client_id, client_secret } = readCard();
      await use(createApi(await tokenOf(await requestToken(client_id, client_secret))));
    },
    { scope: 'worker' },
  ],
  sessionOf: [
    async ({ browser }, use) => {
      const sessions = new Map<Role, { session: Session; since: number }>();
      await use(async (role) => {
        const cached = sessions.get(role);
        if (cached && Date.now() - cached.since < SESSION_TTL_MS) return cached.session;
        const session = await sessionFromForm(browser, role);
        sessions.set(role, { session, since: Date.now() });
        return session;
      });
    },
    { scope: 'worker' },
  ],
  releaseSlots: [
    async ({ api }, use) => {
      api.keepSlots();
      await use(undefined);
      await api.releaseSlots();
    },
    { auto: true },
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
    let last: Role | null = null;
    await use(async (role) => {
      const { cookies } = await sessionOf(role);
      // The service refuses what a page of another user still asks for.
      if (last && last !== role) for (const open of context.pages()) await open.goto('about:blank');
      last = role;
      await context.addCookies(cookies);
    });
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
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function sessionFromForm(browser: Browser, role: Role): Promise<Session> {
  const page = await browser.newPage({ baseURL: readCard().portal_url });
  await awaitHydration(page);
  await page.goto('/sign-in');
  await fillSignIn(page, staffOf(role));
  await page.getByRole('heading', { name: 'Today' }).waitFor();
  const session = await page.context().storageState();
  await page.context().close();
  return session;
}

/** Opens a page and waits until its scripts handle keys. */
export async function openListening(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.waitForLoadState('networkidle');
}

/** Blocks the live stream, so that changes by other tests do not reach the page. */
export const blockLiveChanges = (page: Page): Promise<unknown> => page.route('**/api/live*', () => {});
