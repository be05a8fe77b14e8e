'use client';
import { Mic, RotateCw, Video, VideoOff } from 'lucide-react';
import { useMemo } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { Field } from '#web/ui/field.tsx';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import type { DeviceKind } from './device-choice.ts';
import type { Media, MediaState } from './media.ts';
import { deviceMessage } from './messages.ts';
import { canChooseSpeaker } from './speaker.ts';
import { SpeakerTest } from './speaker-test.tsx';
import { TrackVideo } from './track-video.tsx';
import { useLoudness } from './use-loudness.ts';
import { useStore } from './use-store.ts';

const LABELS: Record<DeviceKind, string> = { camera: 'Camera', microphone: 'Microphone', speaker: 'Speaker' };

/** Camera preview, microphone level, speaker test and device selection, with messages for device errors. */
export function DevicePanel({ media }: { media: Media }) {
  const state = useStore(media);
  const { camera, microphone, trouble, isBlurred, stage } = state;
  return (
    <div className="grid gap-4">
      <div className="relative overflow-hidden rounded-lg bg-sunken">
        {camera ? (
          <TrackVideo track={camera} label="Your camera" isMirrored className="aspect-video w-full object-cover" />
        ) : (
          <p className="grid aspect-video w-full place-items-center content-center gap-2 text-muted">
            <VideoOff aria-hidden className="size-7" />
            {stage === 'asking' ? 'Your browser may ask you to allow it' : 'Your camera is off'}
          </p>
        )}
      </div>
      <DeviceErrors media={media} trouble={trouble} />
      {microphone && <Level track={microphone} />}
      <div className="grid gap-3">
        <Choice kind="camera" media={media} state={state} />
        <Choice kind="microphone" media={media} state={state} />
        <div className="flex flex-wrap items-end gap-2">
          <Choice kind="speaker" media={media} state={state} />
          <SpeakerTest speaker={state.choice.speaker} />
        </div>
        {isBlurred !== null && (
          <Checkbox
            checked={isBlurred}
            onCheckedChange={(checked) => void media.blur(checked === true)}
            label="Blur what is behind me"
          />
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        {camera ? (
          <Button size="sm" onClick={() => void media.showCamera(false)}>
            <VideoOff aria-hidden />
            Turn the camera off
          </Button>
        ) : (
          !trouble.camera &&
          stage === 'on' && (
            <Button size="sm" onClick={() => void media.showCamera(true)}>
              <Video aria-hidden />
              Turn the camera on
            </Button>
          )
        )}
      </div>
    </div>
  );
}

function DeviceErrors({ media, trouble }: { media: Media; trouble: MediaState['trouble'] }) {
  const errors = (['microphone', 'camera'] as const).flatMap((kind) => {
    const error = trouble[kind];
    // A browser that cannot make calls has one message for both.
    return error && (error !== 'unsupported' || kind === 'camera') ? [{ kind, error }] : [];
  });
  return (
    <div role="status" className="grid gap-2 empty:hidden">
      {errors.map(({ kind, error }) => (
        <div key={kind} className="grid justify-items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          <p>{deviceMessage(kind, error)}</p>
          {error !== 'unsupported' && (
            <Button size="sm" onClick={() => void media.requestAgain(kind)}>
              <RotateCw aria-hidden />
              Try the {kind} again
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}

function Level({ track }: { track: MediaStreamTrack }) {
  const stream = useMemo(() => new MediaStream([track]), [track]);
  const bar = useLoudness(stream);
  return (
    <div className="flex items-center gap-2 text-[13px] text-muted">
      <Mic aria-hidden className="size-4 shrink-0" />
      <span>Say something: the bar moves</span>
      <span className="h-1.5 flex-1 overflow-hidden rounded-full bg-line">
        {/* biome-ignore lint/a11y/useSemanticElements: browsers style a native meter differently */}
        <span
          ref={bar}
          role="meter"
          aria-label="Microphone level"
          aria-valuenow={0}
          className="block h-full origin-left scale-x-0 rounded-full bg-accent"
        />
      </span>
    </div>
  );
}

function Choice({ kind, media, state }: { kind: DeviceKind; media: Media; state: MediaState }) {
  const devices = state.devices[kind];
  if (devices.length === 0 || (kind === 'speaker' && !canChooseSpeaker())) return null;
  const inUse = kind === 'speaker' ? undefined : state[kind]?.getSettings().deviceId;
  const selected = [inUse, state.choice[kind], devices[0]?.deviceId].find((id) =>
    devices.some((device) => device.deviceId === id),
  );
  return (
    <Field label={LABELS[kind]} className="min-w-0 flex-1 basis-40 grid-cols-[minmax(0,1fr)]">
      <PlainSelect
        value={selected}
        onValueChange={(id) => void media.choose(kind, id)}
        options={devices.map(({ deviceId, label }, index) => ({
          value: deviceId,
          label: label || `${LABELS[kind]} ${index + 1}`,
        }))}
      />
    </Field>
  );
}
