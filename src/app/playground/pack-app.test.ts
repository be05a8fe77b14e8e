import { readFileSync } from 'node:fs';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterEach, describe, expect, test } from 'vitest';
import { provideServices } from '#server/http/services.ts';
import { GET } from './app.zip/route.ts';
import { packApp } from './pack-app.ts';

type Services = Parameters<typeof provideServices>[0];
const holder = globalThis as { carelaneServices?: Services };
afterEach(() => {
  delete holder.carelaneServices;
});

const TOKENS = { passwordless: 'care_sandbox_one', credentials: 'care_sandbox_two' };
const SDK = 'http://localhost:3000/packages/carelane-auth-sdk.tgz';
const filesOf = (zip: Uint8Array): Record<string, string> =>
  Object.fromEntries(
    Object.entries(unzipSync(zip)).map(([name, bytes]) => [name.replace(/^carelane-app\//, ''), strFromU8(bytes)]),
  );

describe('the packed app', () => {
  const files = filesOf(packApp({ tokens: TOKENS, sdk: SDK }));
  const sources = Object.entries(files).filter(([name]) => /\.tsx?$/.test(name));
  const project = JSON.parse(files['package.json']!);
  const named = { ...project.dependencies, ...project.devDependencies };

  test.each(sources)('%s imports only packed files and listed packages', (name, text) => {
    for (const [, source] of text.matchAll(/(?:\bfrom |\bimport\()'([^']+)'/g)) {
      if (source!.startsWith('.'))
        expect(Object.keys(files)).toContain(path.posix.join(path.posix.dirname(name), source!));
      else
        expect(
          Object.keys(named).some((packageName) => source === packageName || source!.startsWith(`${packageName}/`)),
          source,
        ).toBe(true);
    }
    expect(text).not.toMatch(/'use client'|biome-ignore|from '#|from 'next\//);
  });

  test('pins the tested versions, and the SDK of the sandbox', () => {
    const { '@carelane/auth-sdk': sdk, ...others } = named;
    expect(sdk).toBe(SDK);
    for (const [name, version] of Object.entries(others)) expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
    const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect({ ...devDependencies, ...dependencies }).toMatchObject(others);
  });

  test('contains the clinic’s tokens if the clinic is known, otherwise empty ones', () => {
    for (const token of Object.values(TOKENS)) expect(files['src/tokens.ts']).toContain(`'${token}'`);
    expect(filesOf(packApp({ tokens: null, sdk: SDK }))['src/tokens.ts']).toContain("passwordless: ''");
  });

  test('contains no sandbox code except the note on test cards', () => {
    for (const [name, text] of sources) expect(text, name).not.toContain('/api/sandbox');
    expect(files['src/index.css']).not.toMatch(/geist|source\(/);
  });
});

test('serves the requested tokens, and returns 404 in production', async () => {
  const deploy = (environment: string) =>
    provideServices({
      config: { environment, publicUrl: 'http://localhost:3000' },
      database: { tenantsOf: async () => [] },
    } as unknown as Services);
  const get = (query: Record<string, string> = {}) =>
    GET(new Request(`http://localhost:3000/playground/app.zip?${new URLSearchParams(query)}`));
  const notFoundError = expect.objectContaining({ digest: expect.stringContaining('404') });
  deploy('production');
  await expect(get()).rejects.toThrow(notFoundError);
  await expect(get(TOKENS)).rejects.toThrow(notFoundError);
  deploy('sandbox');
  const tokensIn = async (response: Response) => filesOf(new Uint8Array(await response.arrayBuffer()))['src/tokens.ts'];
  expect(await tokensIn(await get(TOKENS)), 'the requested tokens').toContain(`'${TOKENS.credentials}'`);
  const { passwordless } = TOKENS;
  for (const invalid of [
    { passwordless },
    { passwordless, credentials: "care_'+alert()" },
    { ...TOKENS, more: 'x' },
  ] as Record<string, string>[])
    await expect(get(invalid)).rejects.toThrow(notFoundError);
  const response = await get();
  expect(response.headers.get('content-type')).toBe('application/zip');
  expect(filesOf(new Uint8Array(await response.arrayBuffer()))['package.json']).toContain(SDK);
});
