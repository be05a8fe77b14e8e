import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const web = path.resolve(import.meta.dirname, '../../web');
const specs = [
  'forms.spec.ts',
  'account-forms.ts',
  'clinic-forms.ts',
  'note-forms.ts',
  'plan-forms.ts',
  'task-forms.ts',
]
  .map((file) => readFileSync(path.resolve(import.meta.dirname, '../../../e2e', file), 'utf8'))
  .join('\n');
/** Forms for staff and for patients. */
const AUDIENCES = ['portal', 'patient', 'docs'];

/** Titles of the cases: the form's path, followed by its name where the file has several. */
const titles = [...new Set(specs.match(/(?<='|, )[\w/-]+\.tsx(: [a-z ]+)?(?=[',])/g))];
const casesOf = (form: string) => titles.filter((title) => title === form || title.startsWith(`${form}: `));

test('the end-to-end test of forms covers every form', () => {
  const forms = AUDIENCES.flatMap((audience) =>
    readdirSync(path.join(web, audience), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.tsx'))
      .map((file) => {
        const source = readFileSync(path.join(web, audience, file), 'utf8');
        return { file, count: source.match(/useApiForm\(|<form\b/g)?.length ?? 0 };
      })
      .filter(({ count }) => count > 0),
  );
  expect(forms.length).toBeGreaterThan(15);
  expect(forms.filter(({ file, count }) => casesOf(file).length < count)).toEqual([]);
});
