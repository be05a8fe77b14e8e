import { expect, test } from 'vitest';
import { safeReturnPath } from './safe-return-path.ts';

test('returns a path of the portal with its query', () => {
  expect(safeReturnPath('/patients?search=ada')).toBe('/patients?search=ada');
  expect(safeReturnPath('http://localhost:3000/plans')).toBe('/plans');
});

test('returns / for another site, an invalid URL and the sign-in page', () => {
  expect(safeReturnPath('https://evil.example//evil.example')).toBe('/');
  expect(safeReturnPath('//evil.example')).toBe('/');
  expect(safeReturnPath('javascript:alert(1)')).not.toContain(':');
  expect(safeReturnPath('http://[')).toBe('/');
  expect(safeReturnPath('/sign-in?callbackUrl=/')).toBe('/');
  expect(safeReturnPath(undefined)).toBe('/');
});
