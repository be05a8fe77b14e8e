import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSandboxCard } from './read-sandbox-card.ts';

const LOCAL = 'http://127.0.0.1:4000';
const CARD = {
  portal_url: 'http://localhost:3000',
  base_url: 'http://localhost:3000/api/v1',
  auth_url: 'http://localhost:3000/identity/oauth2/token',
  emulators: { inbox: LOCAL, stripe: LOCAL, acuity: LOCAL },
};

function read(card: object) {
  const folder = mkdtempSync(path.join(tmpdir(), 'card-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'card.json');
  writeFileSync(file, JSON.stringify(card));
  return () => readSandboxCard(file);
}

test('accepts a sandbox on this machine only', () => {
  expect(read(CARD)()).toEqual(CARD);
  for (const portal_url of [
    'https://care.example.org',
    'http://localhost.example.org',
    'http://127.0.0.1.example.org',
    '',
  ])
    expect(read({ ...CARD, portal_url })).toThrow('elsewhere');
  expect(read({ ...CARD, base_url: 'http://192.0.2.1/api/v1' })).toThrow('http://192.0.2.1/api/v1 is elsewhere');
  expect(read({ ...CARD, emulators: { ...CARD.emulators, stripe: 'https://api.stripe.com' } })).toThrow('elsewhere');
});

test('rejects a sandbox with a real provider, and a missing card', () => {
  const { stripe: _, ...emulators } = CARD.emulators;
  expect(read({ ...CARD, emulators })).toThrow('no stripe emulator');
  expect(() => readSandboxCard('/missing/card.json')).toThrow('npm start');
});
