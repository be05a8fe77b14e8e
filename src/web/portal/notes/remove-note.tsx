'use client';
import { useState } from 'react';
import type { NoteView } from '#contract/notes.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { useRefreshNotes } from './use-refresh-notes.ts';

export function RemoveNote({ note, onClose }: { note: NoteView; onClose: () => void }) {
  const client = useTRPCClient();
  const refresh = useRefreshNotes();
  // What the user has read; a newer text is not removed unseen.
  const [version] = useState(note.version);
  return (
    <ConfirmDialog
      title="Remove this note?"
      description="Its text no longer shows in the list. It stays among the earlier texts of the note."
      confirmLabel="Remove note"
      act={async () => {
        try {
          await client.notes.update.mutate({ id: note.id, text: null, version, pinned: false });
        } catch (error) {
          void refresh();
          throw error;
        }
      }}
      done="Note removed"
      refresh={refresh}
      onClose={onClose}
    />
  );
}
