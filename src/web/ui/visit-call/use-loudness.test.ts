import { expect, test, vi } from 'vitest';
import { resumeOnGesture } from './use-loudness.ts';

function watchedContext(state: AudioContextState | 'interrupted') {
  const resume = vi.fn(async () => {
    context.state = 'running';
  });
  const context = { state: state as AudioContextState, resume };
  const page = new EventTarget();
  return { context, page, stop: resumeOnGesture(context, page) };
}

test.each(['pointerdown', 'keydown'])('resumes a suspended audio context on the next %s, once', (press) => {
  const { context, page } = watchedContext('suspended');
  expect(context.resume).not.toHaveBeenCalled();
  page.dispatchEvent(new Event(press));
  page.dispatchEvent(new Event(press));
  expect(context.resume).toHaveBeenCalledOnce();
});

test('resumes an audio context that is interrupted again later', () => {
  const { context, page } = watchedContext('running');
  page.dispatchEvent(new Event('keydown'));
  expect(context.resume).not.toHaveBeenCalled();
  context.state = 'interrupted' as AudioContextState;
  page.dispatchEvent(new Event('keydown'));
  expect(context.resume).toHaveBeenCalledOnce();
});

test('leaves a context alone that runs, is closed or is no longer watched', () => {
  for (const state of ['running', 'closed'] as const) {
    const { context, page } = watchedContext(state);
    page.dispatchEvent(new Event('pointerdown'));
    expect(context.resume).not.toHaveBeenCalled();
  }
  const { context, page, stop } = watchedContext('suspended');
  stop();
  page.dispatchEvent(new Event('pointerdown'));
  expect(context.resume).not.toHaveBeenCalled();
});

test('ignores a browser that still rejects the resume', async () => {
  const page = new EventTarget();
  const resume = vi.fn(() => Promise.reject(new Error('not allowed')));
  resumeOnGesture({ state: 'suspended', resume }, page);
  page.dispatchEvent(new Event('pointerdown'));
  page.dispatchEvent(new Event('keydown'));
  expect(resume).toHaveBeenCalledTimes(2);
});
