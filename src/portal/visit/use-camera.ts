'use client';
import { useCallback, useEffect, useRef, useState } from 'react';

export type Camera =
  | { state: 'off' | 'asking' }
  | { state: 'on'; stream: MediaStream }
  | { state: 'refused'; reason: string };

const REASONS: Record<string, string> = {
  NotAllowedError:
    'Your browser was not allowed to use them. Allow camera and microphone for this page, then try again.',
  NotFoundError: 'No camera and microphone were found. Plug them in, then try again.',
  NotReadableError: 'Another program is using them. Close it, then try again.',
};

/** Camera and microphone, asked for when the reader says so and let go when the page is left. Nothing is sent. */
export function useCamera(): { camera: Camera; start(): Promise<void>; stop(): void } {
  const [camera, setCamera] = useState<Camera>({ state: 'off' });
  const open = useRef<MediaStream | null>(null);

  const release = useCallback(() => {
    for (const track of open.current?.getTracks() ?? []) track.stop();
    open.current = null;
  }, []);
  const stop = useCallback(() => {
    release();
    setCamera({ state: 'off' });
  }, [release]);
  const start = useCallback(async () => {
    setCamera({ state: 'asking' });
    try {
      release();
      open.current = await navigator.mediaDevices.getUserMedia({ video: true, audio: true });
      setCamera({ state: 'on', stream: open.current });
    } catch (error) {
      const reason = REASONS[(error as Error).name] ?? 'Camera and microphone could not be started.';
      setCamera({ state: 'refused', reason });
    }
  }, [release]);

  useEffect(() => release, [release]);
  return { camera, start, stop };
}
