'use client';
import { type RefObject, useEffect, useRef } from 'react';

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

const FULL_SCALE = 90;

/** Returns the ref of a meter that shows the microphone's level; updated in each animation frame, without React. */
export function useLoudness(stream: MediaStream): RefObject<HTMLSpanElement | null> {
  const bar = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(stream).connect(analyser);
    const levels = new Uint8Array(analyser.frequencyBinCount);
    let frame = 0;
    const draw = () => {
      analyser.getByteFrequencyData(levels);
      const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
      const level = Math.min(1, mean / FULL_SCALE);
      if (bar.current) {
        bar.current.style.transform = `scaleX(${level})`;
        bar.current.ariaValueNow = String(Math.round(level * 100));
      }
      frame = requestAnimationFrame(draw);
    };
    draw();
    const stop = resumeOnGesture(context, window);
    return () => {
      stop();
      cancelAnimationFrame(frame);
      void context.close();
    };
  }, [stream]);
  return bar;
}
