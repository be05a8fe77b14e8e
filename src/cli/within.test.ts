import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { within } from './within.ts';

test('a time limit survives garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const collecting = setInterval(runInNewContext('gc'), 20);
  onTestFinished(() => clearInterval(collecting));
  const signal = within(300, new AbortController().signal);
  await expect.poll(() => signal.aborted).toBe(true);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});
