'use client';
import { Video } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Card, CardBody, CardHeader } from '../ui/card.tsx';
import { CameraPicture } from './camera-picture.tsx';
import { useCamera } from './use-camera.ts';

/** Lets the patient see and hear that camera and microphone work, before it matters. */
export function DeviceCheck() {
  const { camera, start, stop } = useCamera();
  const isOn = camera.state === 'on';
  return (
    <Card>
      <CardHeader
        title="Camera and microphone"
        description="Only you see this. Nothing is recorded or sent."
        actions={
          isOn && (
            <Button size="sm" onClick={stop}>
              Turn off
            </Button>
          )
        }
      />
      <CardBody>
        {isOn ? (
          <CameraPicture stream={camera.stream} />
        ) : (
          <div className="grid justify-items-center gap-3 py-4 text-center">
            <Button pending={camera.state === 'asking'} onClick={() => void start()}>
              <Video aria-hidden />
              Try them out
            </Button>
            <p role="status" className="text-[13px] text-balance text-muted empty:hidden">
              {camera.state === 'refused' && camera.reason}
            </p>
          </div>
        )}
      </CardBody>
    </Card>
  );
}
