'use client';
import { Video } from 'lucide-react';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { DevicePanel } from './device-panel.tsx';
import type { Media } from './media.ts';
import { useStore } from './use-store.ts';

/**
 * The device check before a call.
 * @param description who can see the camera picture
 */
export function DevicesCard({ media, description }: { media: Media; description: string }) {
  const { stage } = useStore(media);
  return (
    <Card>
      <CardHeader title="Camera and microphone" description={description} />
      <CardBody>
        {stage === 'on' ? (
          <DevicePanel media={media} />
        ) : (
          <div className="grid justify-items-center py-4">
            <Button pending={stage === 'asking'} onClick={() => void media.start()}>
              <Video aria-hidden />
              Try them out
            </Button>
          </div>
        )}
      </CardBody>
    </Card>
  );
}
