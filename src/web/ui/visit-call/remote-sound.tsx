'use client';
import { Volume2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { playOn } from './play-on.ts';

/** Plays the remote sound on the chosen speaker. Shows a button if the browser requires a user gesture first. */
export function RemoteSound({ track, speaker }: { track: MediaStreamTrack | null; speaker: string | undefined }) {
  const sound = useRef<HTMLAudioElement>(null);
  const [isHeldBack, setHeldBack] = useState(false);
  useEffect(() => {
    const element = sound.current;
    if (!element) return;
    element.srcObject = track ? new MediaStream([track]) : null;
    if (track)
      element.play().then(
        () => setHeldBack(false),
        (error: Error) => setHeldBack(error.name === 'NotAllowedError'),
      );
  }, [track]);
  useEffect(() => {
    if (sound.current) void playOn(sound.current, speaker);
  }, [speaker]);
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: live speech has no captions */}
      <audio ref={sound} autoPlay />
      {isHeldBack && (
        <Button
          variant="primary"
          size="lg"
          className="absolute top-1/2 left-1/2 z-10 -translate-1/2"
          onClick={() => void sound.current?.play().then(() => setHeldBack(false))}
        >
          <Volume2 aria-hidden />
          Turn on the sound
        </Button>
      )}
    </>
  );
}
