'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { CopyField } from '#web/ui/copy-field.tsx';
import { Dialog, DialogBody, DialogFooter } from '#web/ui/dialog.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import type { AppointmentSummary } from './appointment.ts';
import { usesPortalRoom } from './appointment.ts';
import { useRefreshAppointments } from './use-refresh-appointments.ts';

type NewLinkDialogProps = { appointment: AppointmentSummary; onClose: () => void };

/** Confirms before the video link is replaced, since the patient's link stops working; then shows the new link. */
export function NewLinkDialog({ appointment, onClose }: NewLinkDialogProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const refresh = useRefreshAppointments();
  const isOurs = usesPortalRoom(appointment);
  const exchange = useMutation(
    trpc.visits.newLink.mutationOptions({
      // Also after an error: the link may have been replaced although the response was lost.
      onSettled: () => Promise.all([refresh(), queries.invalidateQueries(trpc.visits.pathFilter())]),
    }),
  );
  return (
    <Dialog
      open
      // Cannot be closed while pending: the user would not know which of the two links works.
      isHeld={exchange.isPending}
      onOpenChange={(open) => !open && onClose()}
      title={exchange.data ? 'The new link' : 'Give this appointment a new link?'}
    >
      {exchange.data ? (
        <NewLink url={exchange.data.video_call_url} isOurs={isOurs} onClose={onClose} />
      ) : (
        <>
          <DialogBody className="grid gap-3">
            {exchange.error && <FormError>{firstErrorMessage(exchange.error)}</FormError>}
            <p>
              {isOurs
                ? 'The link that the patient has stops working at once. If they are waiting or talking through it now, they are cut off, and can only come back through the new one.'
                : 'The appointment gets another link, for the patient and for you. Your clinic’s own video rooms decide whether the old one still works.'}
            </p>
            <p>
              The patient gets no message about it: give them the new link yourself. Later messages about this
              appointment have the new one.
            </p>
          </DialogBody>
          <DialogFooter>
            <Button disabled={exchange.isPending} onClick={onClose}>
              Keep the link
            </Button>
            <Button
              variant="primary"
              pending={exchange.isPending}
              onClick={() => exchange.mutate({ id: appointment.id })}
            >
              Make a new link
            </Button>
          </DialogFooter>
        </>
      )}
    </Dialog>
  );
}

function NewLink({ url, isOurs, onClose }: { url: string; isOurs: boolean; onClose: () => void }) {
  const result = useRef<HTMLParagraphElement>(null);
  // Moves focus to the result, which replaces the pressed button, for screen reader users.
  useEffect(() => {
    result.current?.focus();
  }, []);
  return (
    <>
      <DialogBody className="grid gap-4">
        <p ref={result} tabIndex={-1} role="status" className="text-good-ink outline-none">
          There is a new link{isOurs && '; the old one does not work any more'}. Copy it, and give it to the patient.
        </p>
        <CopyField label="Video link" value={url} />
      </DialogBody>
      <DialogFooter>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </DialogFooter>
    </>
  );
}
