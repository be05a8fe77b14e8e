import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENDPOINTS, REVOKE_PATH, TOKEN_PATH } from './protocol/endpoints.ts';
import { ERROR_STATUS } from './protocol/error-codes.ts';
import { KDF } from './protocol/kdf.ts';

const page = await readFile(join(import.meta.dirname, 'PROTOCOL.md'), 'utf8');

test.each([...Object.values(ENDPOINTS), `POST ${TOKEN_PATH}`, `POST ${REVOKE_PATH}`])('documents %s', (endpoint) => {
  expect(page).toContain(`\`${endpoint}\``);
});

test.each(Object.entries(ERROR_STATUS))('documents the error %s with its status %i', (code, status) => {
  expect(page).toContain(`| \`${code}\` | ${status} |`);
});

test('documents the key derivation parameters of new passwords', () => {
  expect(page).toContain(JSON.stringify(KDF).replaceAll(':', ': ').replaceAll(',', ', '));
});
