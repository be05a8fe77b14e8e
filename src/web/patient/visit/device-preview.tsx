'use client';
import { useEffect, useState } from 'react';
import { DevicePanel } from '../../ui/visit-call/device-panel.tsx';
import { createMedia } from '../../ui/visit-call/media.ts';

/** Camera, microphone and speaker, while mounted. Nothing is sent. */
export function DevicePreview() {
  const [media] = useState(() => createMedia());
  useEffect(() => {
    void media.start();
    return () => media.close();
  }, [media]);
  return <DevicePanel media={media} />;
}
