import { afterEach, expect, test } from 'vitest';
import { provideServices } from '#server/http/holder.ts';
import Page from './page.tsx';
import { readSteps } from './read-steps.ts';

type Services = Parameters<typeof provideServices>[0];
const holder = globalThis as { carelaneServices?: Services };

/** A deployment without a clinic, of which nothing matters but its environment. */
const deploy = (environment: string) =>
  provideServices({
    config: { environment, stripe: { jsUrl: null } },
    database: { tenantsOf: async () => [] },
  } as unknown as Services);

afterEach(() => {
  delete holder.carelaneServices;
});

test('the playground is a page of sandboxes, and in production there is none', async () => {
  deploy('sandbox');
  expect((await Page()).props).toMatchObject({ code: readSteps(), clinic: null });
  deploy('production');
  await expect(Page()).rejects.toThrow(expect.objectContaining({ digest: expect.stringContaining('404') }));
});

test('the code is shown as an app outside this repository writes it', () => {
  const steps = readSteps();
  expect(steps['complete-sign-in']).toContain("from '@carelane/auth-sdk'");
  const { 'api-types': types, ...code } = steps;
  expect(types).toContain('Patient');
  for (const text of Object.values(code)) expect(text).not.toMatch(/#sdk|#contract|#portal/);
  expect(Object.keys(steps).filter((name) => name.includes('test'))).toEqual([]);
});
