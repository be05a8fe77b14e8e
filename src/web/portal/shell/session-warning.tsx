'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { AlertCancel, AlertFrame } from '#web/ui/alert-frame.tsx';
import { Button } from '#web/ui/button.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { formatInstant } from '#web/ui/format-time.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { signOut } from '../sign-in/sign-out.ts';

type SessionWarningProps = { endsAt: number; stay: () => Promise<boolean> };

/** Closes automatically once the session is extended, here or in another tab. */
export function SessionWarning({ endsAt, stay }: SessionWarningProps) {
  const at = formatInstant(new Date(endsAt).toISOString(), 'time', useReaderZone());
  const staying = useMutation({ mutationFn: stay });
  const [isRead, setRead] = useState(false);
  const isLast = staying.data === false;
  if (isRead) return null;
  return (
    <AlertFrame
      title={isLast ? `You will be signed out at ${at}` : 'Are you still there?'}
      description={
        isLast
          ? 'You have been signed in for twelve hours, which is the limit. You can sign in again here: what you have typed stays.'
          : `Nothing has been done here for a while. You will be signed out at ${at}, so that no one else sees your patients. What you have typed stays until you sign in again here.`
      }
      onClose={() => (isLast ? setRead(true) : staying.mutate())}
      actions={
        <>
          <Button variant="ghost" onClick={() => void signOut()}>
            Sign out
          </Button>
          <AlertCancel asChild>
            <Button variant="primary" pending={staying.isPending}>
              {isLast ? 'Go on' : 'Stay signed in'}
            </Button>
          </AlertCancel>
        </>
      }
    >
      {staying.error && (
        <div className="mt-3">
          <FormError>The server did not answer. Check your connection and try again.</FormError>
        </div>
      )}
    </AlertFrame>
  );
}
