import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Env } from './screen.ts';
import { errorReply, type FakeService, startFakeService } from './testing/fake-service.ts';
import { runCommand } from './testing/run-command.ts';

let service: FakeService;
beforeEach(async () => {
  service = await startFakeService();
});
afterEach(() => service.stop());
const run = (...args: string[]) => runCommand(args, service.env);

describe('carelane events', () => {
  test('lists the stored events and ends, over several pages', async () => {
    service.addEvents(230);
    const command = run('events', '--json');
    expect(await command.exit).toBe(0);
    expect(command.lines().map((line) => JSON.parse(line).sequence)).toEqual(
      Array.from({ length: 230 }, (_, n) => n + 1),
    );
    expect(command.err()).toBe('');
  });

  test('prints one line per event, with --type, --after and --limit', async () => {
    service.addEvents(4);
    service.addEvents(3, { event_type: 'patient', event_topic: 'created', event_name: 'Patient Created' });
    const command = run('events', '--type', 'patient.created', '--after', '5', '--limit', '1');
    expect(await command.exit).toBe(0);
    expect(command.lines()).toHaveLength(1);
    expect(command.lines()[0]).toMatch(/^ +6 {2}2026-11-16 15:04:05Z {2}Patient Created +visit-6$/);
    expect(service.requests.at(-1)!.query.get('event_topic')).toBe('created');
    expect(service.requests.at(-1)!.query.get('size')).toBe('1');
  });

  test('follows new events', async () => {
    service.addEvents(2);
    const command = run('events', '--follow', '--json');
    await expect.poll(service.isWaiting).toBe(true);
    service.addEvents(1);
    await expect.poll(() => command.lines().length).toBe(1);
    expect(JSON.parse(command.lines()[0]!).sequence).toBe(3);
    expect(await command.stop()).toBe(0);
  });

  test('removes terminal control characters', async () => {
    service.addEvents(1, { event_name: '\x1b[2J\u009b31mGone' });
    const command = run('events');
    await command.exit;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
    expect(command.out()).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    expect(command.out()).toContain('Gone');
  });
});

describe('errors of the service', () => {
  const expired = errorReply(410, 'events_expired', 'Only events from …', { oldest_sequence: 90 });
  test.each([
    ['410', expired, 4, /no longer stored.*--after 89/],
    ['403', errorReply(403, 'forbidden', 'Events need the scope "events:read".'), 3, /may not read.*"events:read"/],
    ['400', errorReply(400, 'invalid_parameter', 'There is no such sequence yet.'), 2, /no such sequence yet/],
    ['something else', { status: 404, body: '<html>' }, 1, /not a Carelane service.*--url/],
  ] as const)('are printed as one sentence: %s', async (_, reply, exit, pattern) => {
    service.next.events.push(reply);
    const command = run('events', '--after', '3');
    expect(await command.exit).toBe(exit);
    expect(command.err()).toMatch(pattern);
    expect(command.err().trim().split('\n')).toHaveLength(1);
  });

  test('waits for the time in Retry-After after too many calls', async () => {
    service.addEvents(1);
    service.next.events.push({ status: 429, headers: { 'retry-after': '1' } });
    const startedAt = performance.now();
    const command = run('events');
    expect(await command.exit).toBe(0);
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    expect(command.err()).toContain('Too many requests. Retrying in 1 s.');
    expect(command.lines()).toHaveLength(1);
  });

  test('a wrong secret ends the command, and so does a token that is rejected twice', async () => {
    const wrong = runCommand(['events'], { ...service.env, CARELANE_CLIENT_SECRET: 'other' });
    expect(await wrong.exit).toBe(3);
    expect(wrong.err()).toContain('the secret is wrong');
    const revoked = errorReply(401, 'invalid_token', 'Revoked.');
    service.next.events.push(revoked, revoked);
    expect(await run('events').exit).toBe(3);
  });

  test('ends at once when nothing listens at the URL', async () => {
    const command = runCommand(['events', '--url', 'http://127.0.0.1:9'], service.env);
    expect(await command.exit).toBe(1);
    expect(command.err()).toMatch(/Is the service running/);
  });
});

describe('the command line', () => {
  test.each([
    [[], 0, /carelane listen --forward-to/],
    [['--help'], 0, /Exit codes/],
    [['--version'], 0, /./],
    [['listn'], 2, /Unknown command “listn”/],
    [['listen'], 2, /--forward-to is required/],
    [['listen', '--forward-to', 'localhost:4000'], 2, /begins with http/],
    [['listen', '--forward-to', 'http://x', '--limit', '3'], 2, /--limit is an option of carelane events/],
    [['events', '--after', '-1'], 2, /./],
    [['events', '--after', 'x'], 2, /a number of at least 0/],
    [['events', '--type', 'a b'], 2, /not an event type/],
    [['events', '--nonsense'], 2, /--nonsense/],
    [['events', '--client-secret', 'x'], 2, /arguments of a process/],
    [['events', '--url', 'http://care.example.test'], 2, /must begin with https/],
  ] as [string[], number, RegExp][])('%j', async (args, exit, pattern) => {
    const command = run(...args);
    expect(await command.exit).toBe(exit);
    expect(exit === 0 ? command.out() : command.err()).toMatch(pattern);
    expect(service.requests).toEqual([]);
  });

  test('reads the secret from a file, or prompts for it without showing it', async () => {
    const { CARELANE_CLIENT_SECRET: _, ...envWithoutSecret } = service.env;
    const folder = await mkdtemp(join(tmpdir(), 'carelane-cli-'));
    await writeFile(join(folder, 'secret'), 's3cret\n');
    expect(await runCommand(['events', '--client-secret-file', join(folder, 'secret')], envWithoutSecret).exit).toBe(0);
    expect(await runCommand(['events', '--client-secret-file', join(folder, 'none')], envWithoutSecret).exit).toBe(2);
    await rm(folder, { recursive: true });
    expect(await runCommand(['events'], envWithoutSecret).exit).toBe(2);
    const prompting = runCommand(['events'], envWithoutSecret, { isTTY: true });
    await expect.poll(prompting.err).toContain('secret: ');
    prompting.stdin.write('s3cret\r');
    expect(await prompting.exit).toBe(0);
    expect(prompting.err() + prompting.out()).not.toContain('s3cret');
  });

  test('shows progress and colors only on a terminal, and no colors with NO_COLOR', async () => {
    service.addEvents(1);
    const faint = '\u001b[2m';
    const outputOf = async (env: Env, isTTY: boolean) => {
      const command = runCommand(['events', '--after', '0'], env, { isTTY });
      await command.exit;
      return command.err() + command.out();
    };
    expect(await outputOf(service.env, true)).toContain(faint);
    expect(await outputOf(service.env, false)).not.toContain('\x1b');
    const plain = await outputOf({ ...service.env, NO_COLOR: '1' }, true);
    expect(plain).toContain('Read up to');
    expect(plain).not.toContain(faint);
    expect(await outputOf({ ...service.env, TERM: 'dumb' }, true)).not.toContain('\x1b');
  });
});
