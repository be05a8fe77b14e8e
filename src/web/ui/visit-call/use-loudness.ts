'use client';
import { type RefObject, useEffect, useRef } from 'react';
import { resumeOnGesture } from './resume-on-gesture.ts';

const FULL_SCALE = 90;

/** Returns the ref of a bar that shows the microphone's level; updated in each animation frame, without React. */
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
      if (bar.current) bar.current.style.transform = `scaleX(${Math.min(1, mean / FULL_SCALE)})`;
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
