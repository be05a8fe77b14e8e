'use client';
import { Volume2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { playTones } from './speaker.ts';

/** Plays tones and asks whether they were heard. */
export function SpeakerTest({ speaker }: { speaker: string | undefined }) {
  const [stage, setStage] = useState<'ready' | 'playing' | 'played'>('ready');
  const play = async () => {
    setStage('playing');
    await playTones(speaker).catch(() => undefined);
    setStage('played');
  };
  return (
    <div className="grid justify-items-start gap-1.5">
      <Button pending={stage === 'playing'} onClick={() => void play()}>
        {stage !== 'playing' && <Volume2 aria-hidden />}
        Play a sound
      </Button>
      <p role="status" className="text-[13px] text-muted empty:hidden">
        {stage === 'played' && 'Did you hear three tones? If not, turn up the volume of your device.'}
      </p>
    </div>
  );
}
