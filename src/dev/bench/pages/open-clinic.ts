import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import type { Api } from '../../../../e2e/api.ts';
import type { Card } from '../../../../e2e/card.ts';
import { freePort } from '../../../launcher/free-port.mjs';
import { createProgress } from '../../../launcher/progress.mjs';
import { findChromium } from '../../checks/programs.mjs';
import { serve } from '../../checks/serve.mjs';

type Session = Awaited<ReturnType<typeof signIn>>;
type Clinic = { card: Card; api: Api; session: Session };

const pathOf = (url: string) => url.slice(new URL(url).origin.length);

/** URLs for routes with parameters, and for pages that need data to show. */
const ADDRESSES: Record<string, (clinic: Clinic) => string | Promise<string>> = {
  '/patients/[id]': async ({ api }) => {
    const { id } = await api.createPatient();
    await api.subscribe(id, 'paid');
    await api.book(id);
    return `/patients/${id}`;
  },
  '/patients/[id]/export': async ({ api }) => `/patients/${(await api.createPatient()).id}/export`,
  '/patients/[id]/merge': async ({ api }) => {
    const [kept, other] = [await api.createPatient(), await api.createPatient()];
    await api.book(other.id);
    return `/patients/${kept.id}/merge?with=${other.id}`;
  },
  '/appointments/[id]': async ({ api }) => `/appointments/${(await api.book((await api.createPatient()).id)).id}`,
  '/appointments/[id]/call': async ({ api }) =>
    `/appointments/${(await api.book((await api.createPatient()).id)).id}/call`,
  '/subscriptions/[id]': async ({ api }) =>
    `/subscriptions/${(await api.subscribe((await api.createPatient()).id, 'paid')).id}`,
  '/settings/webhooks/[id]': async ({ api }) => {
    const receiver = { url: 'http://127.0.0.1:9/hooks', event_types: ['*'] };
    return `/settings/webhooks/${(await api.call<{ id: string }>('/webhook_endpoints', receiver)).id}`;
  },
  '/docs/[...path]': () => '/docs/api/patients',
  '/visit': async ({ api }) => pathOf((await api.book((await api.createPatient()).id)).video_call_url),
  '/checkout': async ({ card, api, session }) => {
    const { id } = await api.subscribe((await api.createPatient()).id, 'paid');
    const response = await fetch(`${card.portal_url}/api/trpc/subscriptions.createCheckoutLink`, {
      method: 'POST',
      headers: { cookie: session.cookie, 'content-type': 'application/json', 'x-carelane-portal': '1' },
      body: JSON.stringify({ subscription_id: id }),
    });
    const { result } = (await response.json()) as { result: { data: { url: string } } };
    return pathOf(result.data.url);
  },
  '/manage': async ({ api }) => {
    const { id } = await api.subscribe((await api.createPatient()).id, 'trial');
    return pathOf((await api.call<{ url: string }>(`/subscriptions/${id}/manage_link`, {})).url);
  },
  '/invitation': ({ card }) =>
    `/invitation#${new URLSearchParams(new URL(card.playground_url).hash.slice(1)).get('credentials')}`,
  '/playground': ({ card }) => pathOf(card.playground_url),
};
export const ADDRESSED = Object.keys(ADDRESSES);

export type Opened = Awaited<ReturnType<typeof openClinic>>;

/** Starts a sandbox as `npm start` does, with a browser that has an administrator's session. */
export async function openClinic() {
  const { step } = createProgress();
  const executablePath = await findChromium(step);
  const dir = await mkdtemp(path.join(tmpdir(), 'carelane-pages-'));
  const served = await serve({ data: dir, port: await freePort() });
  let browser: Browser | null = null;
  const stop = async () => {
    await browser?.close();
    await served.stop();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    // The end-to-end helpers read CARELANE_CARD when they are loaded.
    process.env.CARELANE_CARD = path.join(dir, 'card.json');
    const { requestToken, createApi, tokenOf } = await import('../../../../e2e/api.ts');
    const { readCard } = await import('../../../../e2e/card.ts');
    const card = readCard();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    const session = await signIn(browser, card);
    const api = createApi(await tokenOf(await requestToken(card.client_id, card.client_secret)));
    const clinic = { card, api, session };
    return {
      browser,
      api,
      session: session.state,
      origin: new URL(card.portal_url).origin,
      addressOf: async (route: string) => (await ADDRESSES[route]?.(clinic)) ?? route,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function signIn(browser: Browser, { portal_url, staff }: Card) {
  const context = await browser.newContext({ baseURL: portal_url });
  const page = await context.newPage();
  const { email, password } = staff.find(({ role }) => role === 'admin')!;
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Today' }).waitFor();
  const state = await context.storageState();
  await context.close();
  return { state, cookie: state.cookies.map(({ name, value }) => `${name}=${value}`).join('; ') };
}
