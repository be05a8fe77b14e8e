import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const portal = path.resolve(import.meta.dirname, '../../portal');
const walked = ['forms.spec.ts', 'account-walks.ts']
  .map((file) => readFileSync(path.resolve(import.meta.dirname, '../../../e2e', file), 'utf8'))
  .join('\n');
/** What forms are made of, and the example of an app, whose words are the SDK's. */
const NOT_ONES = /^(ui|playground)\//;

test('the journey through every form knows every form', () => {
  const forms = readdirSync(portal, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx') && !NOT_ONES.test(file))
    .filter((file) => /useApiForm\(|<form\b/.test(readFileSync(path.join(portal, file), 'utf8')));
  expect(forms.length).toBeGreaterThan(15);
  expect(forms.filter((file) => !walked.includes(`'${file}`) && !walked.includes(`, ${file}'`))).toEqual([]);
});
