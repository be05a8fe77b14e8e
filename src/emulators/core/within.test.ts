import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { within } from './within.ts';

test('the time limit holds across garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const collecting = setInterval(runInNewContext('gc'), 20);
  onTestFinished(() => clearInterval(collecting));
  const over = within(300, new AbortController().signal);
  await expect.poll(() => over.aborted).toBe(true);
  expect(over.reason).toMatchObject({ name: 'TimeoutError' });
});
