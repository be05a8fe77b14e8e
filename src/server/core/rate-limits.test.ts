import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from './clock.ts';
import { CODE_POLICY, FAILURE_POLICY, MAX_PENDING_SIGN_UPS, RATE_LIMITS, type RateLimit } from './rate-limits.ts';

const security = readFileSync(path.resolve('src/docs/security.md'), 'utf8');

/** Returns the table under a heading of `security.md`. */
function tableUnder(heading: string): string[] {
  const lines = security.slice(security.indexOf(`\n### ${heading}\n`)).split('\n');
  const table = lines.slice(lines.findIndex((line) => line.startsWith('|')));
  return table.slice(
    0,
    table.findIndex((line) => !line.startsWith('|')),
  );
}

const inWords = (count: number) => (count < 10_000 ? `${count}` : count.toLocaleString('en'));

function rowOf({ entrance, key, limit, window, detail }: RateLimit): string {
  const requests =
    typeof limit === 'number'
      ? inWords(limit)
      : `${limit.timesConfigured > 1 ? `${limit.timesConfigured} × ` : ''}\`RATE_LIMIT_PER_MINUTE\` (${limit.timesConfigured * 1200})`;
  return `| ${entrance} | ${key} | ${requests} ${window === MINUTE ? 'a minute' : 'an hour'} | ${detail('N seconds')} |`;
}

test('security.md shows each rate limit', () => {
  const head = ['| Entrance | Key | Limit | What the caller sees |', '|---|---|---|---|'];
  expect(tableUnder('Rate limits')).toEqual([...head, ...Object.values(RATE_LIMITS).map(rowOf)]);
});

test('security.md shows the limits that are counted exactly', () => {
  const { waitFrom, longestWait, retention, maxInRow, rowRetention, notifyEvery, approvedFor } = FAILURE_POLICY;
  const { knownDevice, unknownSource, allUnknownSources, digits, attemptsPerMessage } = CODE_POLICY;
  const { perDay, leastBits, mostBits, moreBitsEvery } = allUnknownSources;
  const waits = `${waitFrom}; from then on waits of 1, 2, 4, … s, at most ${longestWait / MINUTE} min; forgotten after ${retention / HOUR} h`;
  const tooManyWrong = 'Too many wrong tries; try again in N seconds.';
  const wait = 'A code was sent already; ask for another in N seconds.';
  const rows = [
    ['Wrong passwords of a patient', 'person and source, or person and known device', waits, tooManyWrong],
    ['Wrong passwords of staff', 'email and source, or email and known device', waits, tooManyWrong],
    ['Wrong TOTP and recovery codes', 'staff user', waits, tooManyWrong],
    ['Wrong confirmations of the own password', 'staff user', waits, tooManyWrong],
    [
      'Wrong passwords in a row from unknown devices',
      'person, or email of staff',
      `${maxInRow}; forgotten after ${rowRetention / DAY} days; a lockout stays until the emailed link, a reset or an emailed code`,
      `403 \`sign_in_closed\`; an email with a link, once in ${notifyEvery / HOUR} h`,
    ],
    ['… after the link was used', 'source', `not counted for ${approvedFor / MINUTE} min`, ''],
    ['Wrong passwords in a row on a known device', 'device', `${maxInRow}`, 'The device is unknown from then on'],
    [
      'Pending sign-ups of one address',
      'person and source',
      `${MAX_PENDING_SIGN_UPS} in an hour; older ones make room`,
      'Too many sign-ups with this address from here; try again in an hour.',
    ],
    [
      'Codes to a person, known device',
      'person',
      `${knownDevice.perDay} in 24 h; waits of ${knownDevice.firstWait / SECOND} s, then ${knownDevice.laterWait / SECOND} s`,
      wait,
    ],
    [
      'Codes to a person, unknown source',
      'person and source',
      `${unknownSource.perDay} in 24 h; the wait starts at ${unknownSource.firstWait / SECOND} s and doubles`,
      wait,
    ],
    [
      'Codes to a person, all unknown sources together',
      'person',
      `${perDay} in 24 h; then a proof of work of ${leastBits} bits, one more for every ${moreBitsEvery} codes, up to ${mostBits}`,
      '428 `proof_of_work_required`; the SDK solves it',
    ],
    [
      'Digits of a code',
      'person',
      `${digits}; ${allUnknownSources.digits} for unknown sources beyond these ${perDay}`,
      '',
    ],
    [
      `Sign-in texts beyond these ${perDay}`,
      'person and source',
      'one; the next after it is lost or its attempts are used up',
      'Same response, no text',
    ],
    [
      'Attempts at a code',
      'message, for all requests that it stands for',
      `${attemptsPerMessage}`,
      '422 `invalid_code`, then `too_many_tries`',
    ],
  ].map((cells) => `| ${cells.join(' | ')} |`);
  const head = ['| Entrance | Key | Limit | What the caller sees |', '|---|---|---|---|'];
  expect(tableUnder('Exact limits')).toEqual([...head, ...rows]);
});
