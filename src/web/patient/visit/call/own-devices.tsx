'use client';
import { useEffect, useState } from 'react';
import { DevicePanel } from './device-panel.tsx';
import { createMedia } from './media.ts';

/** Camera, microphone and speaker, for as long as this is shown. Nothing is sent. */
export function OwnDevices() {
  const [media] = useState(() => createMedia());
  useEffect(() => {
    void media.start();
    return () => media.close();
  }, [media]);
  return <DevicePanel media={media} />;
}
