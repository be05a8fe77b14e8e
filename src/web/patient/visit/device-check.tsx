'use client';
import { Video } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card, CardBody, CardHeader } from '../../ui/card.tsx';
import { useLoaded } from '../../ui/use-loaded.ts';

// A patient who only looks up the time does not load the device code.
const loadDevices = () => import('./own-devices.tsx').then((module) => module.OwnDevices);

/** Lets the patient test camera, microphone and speaker before the appointment. */
export function DeviceCheck() {
  const [isWanted, setWanted] = useState(false);
  const Devices = useLoaded(loadDevices, isWanted, () => window.location.reload());
  return (
    <Card>
      <CardHeader
        title="Camera and microphone"
        description="Only you see this. Nothing is recorded or sent."
        actions={
          isWanted && (
            <Button size="sm" onClick={() => setWanted(false)}>
              Turn off
            </Button>
          )
        }
      />
      <CardBody>
        {isWanted && Devices ? (
          <Devices />
        ) : (
          <div className="grid justify-items-center py-4">
            <Button pending={isWanted} onClick={() => setWanted(true)}>
              <Video aria-hidden />
              Try them out
            </Button>
          </div>
        )}
        <p className="mt-4 flex flex-wrap justify-center gap-x-4 gap-y-2 border-t border-line pt-3 text-[13px]">
          <Link href="/visit/test" className="inline-block py-0.5 text-accent-ink underline">
            Try out your connection too
          </Link>
          <Link href="/visit/privacy" className="inline-block py-0.5 text-accent-ink underline">
            Who sees and keeps what
          </Link>
        </p>
      </CardBody>
    </Card>
  );
}
