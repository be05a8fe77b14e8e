import { randomBytes } from 'node:crypto';
import type { APIRequestContext } from '@playwright/test';
import { requestApi } from './api.ts';
import { readCard } from './card.ts';
import { expect, test } from './fixtures.ts';
import { awaitText } from './inbox.ts';
import { newPhone } from './playground.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

async function post<View>(path: string, body: object): Promise<View> {
  const response = await fetch(new URL(`/identity${path}`, readCard().portal_url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': FIREFOX },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (response.status === 202 ? null : await response.json()) as View;
}

/** The client id of the clinic's app, from the token that its developers copy from the portal. */
async function clientIdOfApp(staff: APIRequestContext): Promise<string> {
  const response = await staff.get('/api/trpc/applications.configurationTokens');
  const { result } = (await response.json()) as { result: { data: { passwordless: string } } };
  return JSON.parse(Buffer.from(result.data.passwordless.split('_')[2] ?? '', 'base64url').toString()).client_id;
}

async function signInByText(client_id: string, phone_number: string) {
  const attempt = randomBytes(32).toString('hex');
  await post('/passwordless/sign_up', { client_id, phone_number, attempt, attributes: { first_name: 'Ada' } });
  const since = new Date().toISOString();
  const { challenge } = await post<{ challenge: string }>('/passwordless/sign_in', { client_id, phone_number });
  const code = (await awaitText(phone_number, since)).match(/\b(?:\d{6}|\d{10})\b/)?.[0];
  type Tokens = { access_token: string; user: { user_id: string } };
  return post<Tokens>('/passwordless/complete', { challenge, attempt, code });
}

test('staff see where a patient is signed in and sign them out', async ({ page, signIn, api }) => {
  await signIn('admin');
  const { access_token, user } = await signInByText(await clientIdOfApp(page.request), await newPhone(api));
  await page.goto(`/patients/${user.user_id}`);
  const card = page.getByRole('region', { name: 'Sign-in' });
  await expect(card.getByText('Signs in by a code in a text message.')).toBeVisible();
  const device = card.getByRole('list', { name: 'Signed in now' }).getByRole('listitem').first();
  await expect(device.getByText('Firefox on Linux')).toBeVisible();
  expect((await requestApi(access_token, '/patients/me')).status).toBe(200);

  await device.getByRole('button', { name: /^Sign out Firefox on Linux/ }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(question).toBeHidden();
  await card.getByText('Earlier sign-ins').click();
  await expect(card.getByText('Signed out by staff or the app').first()).toBeVisible();
  await expect(async () => expect((await requestApi(access_token, '/patients/me')).status).toBe(401)).toPass();
});
