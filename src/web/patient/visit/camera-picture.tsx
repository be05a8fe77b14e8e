'use client';
import { Mic } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useLoudness } from '../../ui/visit-call/use-loudness.ts';

/** Mirrored camera picture and microphone level. */
export function CameraPicture({ stream }: { stream: MediaStream }) {
  const video = useRef<HTMLVideoElement>(null);
  const bar = useLoudness(stream);
  useEffect(() => {
    if (video.current) video.current.srcObject = stream;
  }, [stream]);
  return (
    <>
      <video
        ref={video}
        autoPlay
        muted
        playsInline
        aria-label="Your camera"
        className="aspect-video w-full -scale-x-100 rounded-lg bg-sunken object-cover"
      />
      <div className="mt-3 flex items-center gap-2 text-[13px] text-muted">
        <Mic aria-hidden className="size-4 shrink-0" />
        <span>Say something: the bar moves</span>
        <span aria-hidden className="h-1.5 flex-1 overflow-hidden rounded-full bg-line">
          <span ref={bar} className="block h-full origin-left scale-x-0 rounded-full bg-accent" />
        </span>
      </div>
    </>
  );
}
