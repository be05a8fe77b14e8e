import { expect, test } from 'vitest';
import { describeOutcome, findServerProblems } from './video-servers.ts';

const SERVER = 'turn:turn.example.test';
const silent = { works: false, why: 'no_answer', code: null } as const;

test('a server that fails for one address family only names the family and the fix', () => {
  expect(describeOutcome({ ...silent, onlyBy: 'IPv6' })).toBe('Did not answer by IPv6');
  const [finding] = findServerProblems(SERVER, { ...silent, onlyBy: 'IPv6' });
  expect(finding).toMatchObject({ code: 'video_no_answer', message: `${SERVER}: Did not answer by IPv6.` });
  expect(finding?.fix).toContain('(AAAA)');
  const rejected = { works: false, why: 'refused', code: 401, onlyBy: 'IPv4' } as const;
  expect(findServerProblems(SERVER, rejected)[0]?.message).toContain('Does not take our credentials by IPv4');
});

test('a server that fails for all address families names none', () => {
  const [finding] = findServerProblems(SERVER, silent);
  expect(`${finding?.message} ${finding?.fix}`).not.toMatch(/IPv|DNS/);
});
