'use client';
import { useMutation } from '@tanstack/react-query';
import { History, Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import { type RefObject, useState } from 'react';
import type { NoteView } from '#contract/notes.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { formatInstant } from '#web/ui/format-time.ts';
import { toast } from '#web/ui/toast.ts';
import { useReaderZone } from '#web/ui/use-reader-zone.ts';
import { useTRPCClient } from '../../trpc-client.tsx';
import { type ActionEntry, RowMenu } from '../shell/action-menu.tsx';
import { authorOf } from './author.ts';
import { EarlierTexts, RemoveNote } from './on-demand.tsx';
import { useRefreshNotes } from './use-refresh-notes.ts';

type NoteMenuProps = { note: NoteView; button: RefObject<HTMLButtonElement | null>; onChange: () => void };

/** What can be done with a note; a removed one has only earlier texts. */
export function NoteMenu({ note, button, onChange }: NoteMenuProps) {
  const client = useTRPCClient();
  const refresh = useRefreshNotes();
  const zone = useReaderZone();
  const [open, setOpen] = useState<'earlier' | 'remove' | null>(null);
  const { id, text, version, pinned, created_at } = note;
  const pin = useMutation({
    mutationFn: async () => {
      await client.notes.update.mutate({ id, pinned: !pinned });
      await refresh();
    },
    onSuccess: () => toast.success(pinned ? 'Note unpinned' : 'Note pinned'),
    onError: (error) => toast.error('This did not work', { description: firstErrorMessage(error) }),
  });
  const change: ActionEntry[] = [
    { kind: 'action', needs: 'notes:write', label: 'Change', icon: Pencil, onSelect: onChange },
    {
      ...{ kind: 'action', needs: 'notes:write', label: pinned ? 'Unpin' : 'Pin', icon: pinned ? PinOff : Pin },
      onSelect: () => pin.mutate(),
    },
  ];
  const remove: ActionEntry[] = [
    {
      ...{ kind: 'action', needs: 'notes:write', label: 'Remove', icon: Trash2, danger: true },
      onSelect: () => setOpen('remove'),
    },
  ];
  const entries: ActionEntry[] = [
    ...(text === null ? [] : change),
    ...(version > 1
      ? [{ kind: 'action' as const, label: 'Earlier texts', icon: History, onSelect: () => setOpen('earlier') }]
      : []),
    ...(text === null ? [] : remove),
  ];
  const close = () => setOpen(null);
  return (
    <span className="shrink-0 print:hidden">
      <RowMenu
        ref={button}
        of={`the note of ${authorOf(note)}, ${formatInstant(created_at, 'datetime', zone)}`}
        className="-my-1 -mr-1.5"
        pending={pin.isPending}
        entries={entries}
      />
      {open === 'earlier' && <EarlierTexts note={note} onClose={close} />}
      {open === 'remove' && <RemoveNote note={note} onClose={close} />}
    </span>
  );
}
