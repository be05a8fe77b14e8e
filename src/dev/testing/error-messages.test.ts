import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_MESSAGES, PLAIN_CODES } from '#contract/error-messages.ts';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';

/** Words that only developers use. */
const JARGON =
  /Idempotency|\b(GET|POST|JSON|NUL|API|UUID|HTTP|URL|null|request|query|body|parameter|cursor|scope|header|token|deployment|endpoint|client_id|procedure)\b|[a-z]_[a-z]|[{}<>]|[=/]\w|again with/;
/** Errors for apps that sign patients in, which no page of ours shows. */
const FOR_APPS = /server\/identity\/(oauth|sessions|tokens|srp|patients)\//;
const server = path.resolve(import.meta.dirname, '../../server');

const sources = readdirSync(server, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
  .map((entry) => path.join(entry.parentPath, entry.name))
  .filter((file) => !FOR_APPS.test(file));

/** Finds every literal error with its code, its detail, and a message for people if it has one. */
function errorsIn(source: string) {
  const written =
    /(?:apiError\(\s*|code: )'(\w+)'(?: as const)?,\s*(?:detail: )?(['"`])((?:(?!\2).)+)\2([^;]{0,300})/gs;
  return [...source.matchAll(written)].map(([, code, , detail, more]) => ({
    code: code as ErrorCode,
    detail: detail!.replaceAll(/\$\{[^}]*\}/g, 'X'),
    hasWords: more!.includes('people'),
  }));
}

const errors = sources.flatMap((file) =>
  errorsIn(readFileSync(file, 'utf8')).map((one) => ({ file: path.relative(server, file), ...one })),
);

test('finds the errors in the source', () => {
  expect(errors.length).toBeGreaterThan(60);
});

test('a detail that people read has no developer jargon', () => {
  const read = errors.filter(({ code, hasWords }) => PLAIN_CODES.has(code) && !hasWords);
  expect(read.filter(({ detail }) => JARGON.test(detail)).map(({ file, detail }) => `${file}: ${detail}`)).toEqual([]);
});

test.each(Object.keys(ERRORS) as ErrorCode[])('%s has a message for people', (code) => {
  expect(ERROR_MESSAGES[code]).toMatch(/^[A-Z].+\.$/);
  expect(ERROR_MESSAGES[code]).not.toMatch(JARGON);
});

test('detects developer jargon', () => {
  expect('Send the same request with the same Idempotency-Key again.').toMatch(JARGON);
  expect('"by_status" takes active, archived.').toMatch(JARGON);
  expect('Someone else has just taken this time.').not.toMatch(JARGON);
});
