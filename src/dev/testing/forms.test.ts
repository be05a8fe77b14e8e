import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const web = path.resolve(import.meta.dirname, '../../web');
const walked = ['forms.spec.ts', 'account-walks.ts']
  .map((file) => readFileSync(path.resolve(import.meta.dirname, '../../../e2e', file), 'utf8'))
  .join('\n');
/** Forms for staff and for patients. */
const AUDIENCES = ['portal', 'patient', 'docs'];

test('the end-to-end test of forms covers every form', () => {
  const forms = AUDIENCES.flatMap((audience) =>
    readdirSync(path.join(web, audience), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.tsx'))
      .filter((file) => /useApiForm\(|<form\b/.test(readFileSync(path.join(web, audience, file), 'utf8'))),
  );
  expect(forms.length).toBeGreaterThan(15);
  expect(forms.filter((file) => !walked.includes(`'${file}`) && !walked.includes(`, ${file}'`))).toEqual([]);
});
