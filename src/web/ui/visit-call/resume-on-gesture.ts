/** Any first interaction; browsers permit audio only after a user gesture. */
const PRESSES = ['pointerdown', 'keydown'] as const;

/**
 * Resumes a suspended audio context on the next press or key: before the first gesture on a page, or after the device
 * was used for a phone call.
 * @param page the target of the events
 * @returns a function that stops it
 */
export function resumeOnGesture(
  context: Pick<AudioContext, 'state' | 'resume'>,
  page: Pick<EventTarget, 'addEventListener' | 'removeEventListener'>,
): () => void {
  // Safari has an additional state, `interrupted`.
  const resume = () => {
    if (context.state !== 'running' && context.state !== 'closed') void context.resume().catch(() => undefined);
  };
  for (const press of PRESSES) page.addEventListener(press, resume, { capture: true });
  return () => {
    for (const press of PRESSES) page.removeEventListener(press, resume, { capture: true });
  };
}
