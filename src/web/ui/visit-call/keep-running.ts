/** Whatever a reader may begin with; of a press alone a browser lets a page make and measure sound. */
const PRESSES = ['pointerdown', 'keydown'] as const;

/**
 * Has what measures or plays sound go on with the reader's next press or key, where the browser holds it back: before the
 * first press on a page, or after the device was taken for a call.
 * @param page where presses are heard
 * @returns how to stop
 */
export function keepRunning(
  context: Pick<AudioContext, 'state' | 'resume'>,
  page: Pick<EventTarget, 'addEventListener' | 'removeEventListener'>,
): () => void {
  // Safari has a state of its own, `interrupted`.
  const resume = () => {
    if (context.state !== 'running' && context.state !== 'closed') void context.resume().catch(() => undefined);
  };
  for (const press of PRESSES) page.addEventListener(press, resume, { capture: true });
  return () => {
    for (const press of PRESSES) page.removeEventListener(press, resume, { capture: true });
  };
}
