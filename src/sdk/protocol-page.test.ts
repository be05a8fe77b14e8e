import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENDPOINTS, REVOKE_PATH, TOKEN_PATH } from './protocol/endpoints.ts';
import { KDF } from './protocol/kdf.ts';
import { REFUSALS } from './protocol/refusals.ts';

const page = await readFile(join(import.meta.dirname, 'PROTOCOL.md'), 'utf8');

test.each([...Object.values(ENDPOINTS), `POST ${TOKEN_PATH}`, `POST ${REVOKE_PATH}`])('%s is described', (endpoint) => {
  expect(page).toContain(`\`${endpoint}\``);
});

test.each(Object.entries(REFUSALS))('the refusal %s is listed with its status %i', (code, status) => {
  expect(page).toContain(`| \`${code}\` | ${status} |`);
});

test('the stretching of new passwords is the one that is told', () => {
  expect(page).toContain(JSON.stringify(KDF).replaceAll(':', ': ').replaceAll(',', ', '));
});
