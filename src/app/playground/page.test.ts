import { afterEach, expect, test } from 'vitest';
import { withImports } from '#examples/playground/playground.tsx';
import { SCREENS } from '#examples/playground/screen.ts';
import { provideServices } from '#server/http/services.ts';
import Page, { readSteps } from './page.tsx';

type Services = Parameters<typeof provideServices>[0];
const holder = globalThis as { carelaneServices?: Services };

/** A deployment without a clinic, of which only the environment matters. */
const deploy = (environment: string) =>
  provideServices({
    config: { environment },
    database: { tenantsOf: async () => [] },
  } as unknown as Services);

afterEach(() => {
  delete holder.carelaneServices;
});

test('serves the playground in a sandbox, and returns 404 in production', async () => {
  deploy('sandbox');
  expect((await Page()).props).toMatchObject({ code: readSteps(), clinic: null });
  deploy('production');
  await expect(Page()).rejects.toThrow(expect.objectContaining({ digest: expect.stringContaining('404') }));
});

test('shows the code with the imports of an external app', () => {
  const steps = readSteps();
  expect(steps['complete-sign-in']).toContain("from '@carelane/auth-sdk'");
  for (const [name, text] of Object.entries(steps)) {
    const sources = [...text.matchAll(/ from '([^']+)'/g)].map(([, source]) => source!);
    expect.soft(text, name).not.toMatch(/['"]#/);
    for (const source of sources)
      expect.soft(source, name).toMatch(/^(@carelane\/auth-sdk|\.\/[\w-]+\.ts|@stripe\/stripe-js(\/pure)?)$/);
  }
  expect(Object.keys(steps).filter((name) => name.includes('test'))).toEqual([]);
});

test.each(Object.entries(SCREENS))('shows the code for %s, with each file that it needs', (_at, { code }) => {
  const steps = readSteps();
  const names = withImports(code, steps);
  expect(names.slice(0, code.length)).toEqual(code);
  for (const name of names) {
    expect(steps[name], name).toBeDefined();
    for (const [, imported] of steps[name]!.matchAll(/'\.\/([\w-]+)\.ts'/g)) expect(names, name).toContain(imported);
  }
});

test('shows the loader of Stripe.js and the API client for the payment step', () => {
  const names = withImports(SCREENS.pay.code, readSteps());
  expect(names).toEqual(expect.arrayContaining(['load-stripe-js', 'call-api', 'api-error', 'configure', 'api-types']));
});
