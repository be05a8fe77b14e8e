'use client';
import { useEffect, useRef } from 'react';
import { cn } from '#web/ui/cn.ts';

type TrackVideoProps = {
  track: MediaStreamTrack;
  /** The label of the picture, for screen readers. */
  label: string;
  /** Mirrors the participant's own picture. */
  isMirrored?: boolean;
  className?: string;
};

/** A video element without sound. */
export function TrackVideo({ track, label, isMirrored = false, className }: TrackVideoProps) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.srcObject = new MediaStream([track]);
  }, [track]);
  return (
    <video
      ref={video}
      autoPlay
      muted
      playsInline
      aria-label={label}
      className={cn('bg-sunken', isMirrored && '-scale-x-100', className)}
    />
  );
}
