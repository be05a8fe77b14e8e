'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_NOTE_LENGTH } from '#contract/limits.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { Textarea } from '#web/ui/input.tsx';
import { toast } from '#web/ui/toast.ts';
import { useUnsaved } from '#web/ui/unsaved.tsx';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { useRefreshAppointments } from './use-refresh-appointments.ts';

/** Not loaded without the permission. */
export function useStaffNote(appointmentId: string) {
  const trpc = useTRPC();
  const enabled = useMay('notes:read');
  return useQuery({ ...trpc.appointments.getNote.queryOptions({ id: appointmentId }), enabled });
}

/** Internal note of an appointment: never shown to the patient, never sent. Only for staff who may read notes. */
export function StaffNote({ appointmentId }: { appointmentId: string }) {
  const client = useTRPCClient();
  const refresh = useRefreshAppointments();
  const stored = useStaffNote(appointmentId);
  const mayWrite = useMay('notes:write');
  const [draft, setDraft] = useState<string | null>(null);
  const save = useMutation({
    mutationFn: (text: string) => client.appointments.setNote.mutate({ id: appointmentId, note: text.trim() || null }),
    onSuccess: async () => {
      await refresh();
      setDraft(null);
      toast.success('Note saved');
    },
  });
  const note = stored.data?.note ?? null;
  useUnsaved(save.isPending ? 'saving' : draft !== null && draft.trim() !== (note ?? ''));
  if (draft !== null)
    return (
      <div className="grid gap-3">
        <Field label="Note for staff" required={false} hint="Only your team sees it. It is never sent.">
          <Textarea
            rows={4}
            maxLength={MAX_NOTE_LENGTH}
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
          />
        </Field>
        {save.error && <FormError>{firstErrorMessage(save.error)}</FormError>}
        <div className="flex gap-2">
          <Button variant="primary" pending={save.isPending} onClick={() => save.mutate(draft)}>
            Save note
          </Button>
          <Button
            onClick={() => {
              save.reset();
              setDraft(null);
            }}
          >
            Discard
          </Button>
        </div>
      </div>
    );
  return (
    <div className="grid justify-items-start gap-1.5">
      <h2 className="text-[13px] text-muted">Note for staff</h2>
      {stored.error ? (
        <FormError>{firstErrorMessage(stored.error)}</FormError>
      ) : (
        <>
          {note ? (
            <p className="wrap-anywhere whitespace-pre-wrap">{note}</p>
          ) : (
            <p className="text-muted">There is none.</p>
          )}
          {mayWrite && (
            <Button size="sm" disabled={!stored.data} onClick={() => setDraft(note ?? '')}>
              {note ? 'Change note' : 'Write a note'}
            </Button>
          )}
        </>
      )}
    </div>
  );
}
