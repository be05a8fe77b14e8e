'use client';
import { useEffect, useRef } from 'react';
import { cn } from '#web/ui/cn.ts';

type TrackVideoProps = {
  track: MediaStreamTrack;
  /** Whose picture it is, for screen readers. */
  label: string;
  /** As in a mirror: one's own picture. */
  isMirrored?: boolean;
  className?: string;
};

/** A moving picture without sound. */
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
