'use client';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { MAX_NOTE_LENGTH } from '#contract/limits.ts';
import type { NoteDraftView, NoteView } from '#contract/notes.ts';
import { fieldOfError, messageOfError, readApiErrors } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { Field } from '#web/ui/field.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { LongText, lengthError } from '#web/ui/long-text.tsx';
import { toast } from '#web/ui/toast.ts';
import { askBeforeUnload, useUnsaved } from '#web/ui/unsaved.tsx';
import { useTRPCClient } from '../../trpc-client.tsx';
import { cleanText } from './clean-text.ts';
import { DraftStatus } from './draft-status.tsx';
import type { DraftTarget } from './drafts.ts';
import type { NotesFilter } from './loaded-notes.ts';
import { NoteText } from './note-text.tsx';
import { type NoteDraft, useNoteDraft } from './use-note-draft.ts';
import { useRefreshNotes } from './use-refresh-notes.ts';

export type NewNoteFormProps = NotesFilter & {
  target: DraftTarget;
  stored: NoteDraftView | undefined;
  onClose: () => void;
};

export function NewNoteForm({ patientId, appointmentId, target, stored, onClose }: NewNoteFormProps) {
  const client = useTRPCClient();
  const draft = useNoteDraft({ patientId, target, base: { text: '', version: null }, stored });
  return (
    <NoteForm
      draft={draft}
      isUnchanged={cleanText(draft.text).trim() === ''}
      hint="Only your team sees notes. They are never sent."
      save={(text) =>
        client.notes.create.mutate({
          patient_id: patientId,
          ...(appointmentId && { appointment_id: appointmentId }),
          text,
        })
      }
      onClose={onClose}
    />
  );
}

export type ChangeNoteFormProps = {
  /** As it is now, which may be newer than what the form has begun with. */
  note: NoteView;
  stored: NoteDraftView | undefined;
  onClose: () => void;
};

/** Changes a note. If a colleague has changed it in the meantime, both texts show, and the user decides. */
export function ChangeNoteForm({ note, stored, onClose }: ChangeNoteFormProps) {
  const client = useTRPCClient();
  const refresh = useRefreshNotes();
  const draft = useNoteDraft({
    patientId: note.patient_id,
    target: { target_type: 'note', target_id: note.id },
    base: { text: note.text ?? '', version: note.version },
    stored,
  });
  const text = cleanText(draft.text).trim();
  const isUnchanged = text === (note.text ?? '');
  const isOutdated = draft.version !== null && draft.version < note.version && !isUnchanged;
  const save = async (changed: string) => {
    try {
      await client.notes.update.mutate({
        id: note.id,
        text: changed,
        version: isOutdated ? note.version : (draft.version ?? note.version),
      });
    } catch (error) {
      // Shows the colleague's text.
      if (readApiErrors(error)[0].code === 'conflict') await refresh();
      throw error;
    }
  };
  return (
    <NoteForm
      draft={draft}
      isUnchanged={isUnchanged}
      saveLabel={isOutdated ? 'Save mine' : 'Save note'}
      hidesError={isOutdated}
      save={save}
      onClose={onClose}
    >
      {isOutdated && <Conflict note={note} />}
    </NoteForm>
  );
}

function Conflict({ note: { text, updated_by_name, updated_at } }: { note: NoteView }) {
  return (
    <div className="grid gap-2 rounded-lg border border-warn-ink/25 p-3">
      <p role="alert" className="text-warn-ink wrap-anywhere">
        {updated_by_name ?? 'A colleague'} {text === null ? 'removed' : 'changed'} this note on{' '}
        <DateTime value={updated_at} />.
      </p>
      {text !== null && <NoteText text={text} />}
      <p className="text-[13px] text-muted">
        Your text is below. “Save mine” replaces {text === null ? 'the removed note' : 'theirs'}; earlier texts stay.
      </p>
    </div>
  );
}

type NoteFormProps = {
  draft: NoteDraft;
  /** There is nothing to lose. */
  isUnchanged: boolean;
  hint?: string;
  saveLabel?: string;
  /** The form shows in another way what is wrong. */
  hidesError?: boolean;
  save: (text: string) => Promise<unknown>;
  onClose: () => void;
  children?: ReactNode;
};

type FormProblem = { message: string; isOfField: boolean };

function NoteForm(props: NoteFormProps) {
  const { draft, isUnchanged, hint, saveLabel = 'Save note', hidesError = false, save, onClose, children } = props;
  const refresh = useRefreshNotes();
  const textarea = useRef<HTMLTextAreaElement>(null);
  const isRunning = useRef(false);
  const isDiscarded = useRef(false);
  const [isSaving, setSaving] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [problem, setProblem] = useState<FormProblem | null>(null);
  const isStoring = draft.state === 'saving';
  useUnsaved(isSaving || isStoring ? 'saving' : draft.isUnstored);
  useStayWhile(isStoring);
  useEffect(() => {
    const field = textarea.current;
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  }, []);

  const reject = (next: FormProblem) => {
    setProblem(next);
    if (next.isOfField) textarea.current?.focus();
  };

  async function submit(event?: FormEvent) {
    event?.preventDefault();
    event?.stopPropagation();
    // At once, before the button shows that it is pending.
    if (isRunning.current) return;
    const text = cleanText(draft.text).trim();
    const error = text === '' ? 'Write something first.' : lengthError(text, MAX_NOTE_LENGTH);
    if (error) return reject({ message: error, isOfField: true });
    isRunning.current = true;
    setSaving(true);
    setProblem(null);
    try {
      await draft.hold();
      await save(text);
      draft.clear();
      await refresh();
      toast.success('Note saved');
      onClose();
    } catch (error) {
      const [entry] = readApiErrors(error);
      reject({ message: messageOfError(entry), isOfField: fieldOfError(entry) === 'text' });
      void draft.release();
    } finally {
      isRunning.current = false;
      setSaving(false);
    }
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    void submit();
  };

  return (
    <form noValidate className="grid gap-2" onSubmit={(event) => void submit(event)}>
      {children}
      <Field label="Note" hint={hint} error={problem?.isOfField ? problem.message : undefined}>
        <LongText
          ref={textarea}
          rows={5}
          dir="auto"
          limit={MAX_NOTE_LENGTH}
          readOnly={isSaving}
          value={draft.text}
          onChange={(event) => {
            setProblem(null);
            draft.change(event.target.value);
          }}
          onBlur={() => void draft.flush()}
          onKeyDown={onKeyDown}
        />
      </Field>
      {problem && !problem.isOfField && !hidesError && <FormError>{problem.message}</FormError>}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button type="submit" variant="primary" pending={isSaving}>
          {saveLabel}
        </Button>
        <Button disabled={isSaving} onClick={() => (isUnchanged ? onClose() : setAsking(true))}>
          Discard
        </Button>
        {/* Beside or below the buttons, which must not move when it changes. */}
        <DraftStatus draft={draft} isUnchanged={isUnchanged} />
      </div>
      {isAsking && (
        <ConfirmDialog
          title="Discard what you have written?"
          description="The text is deleted, and so is its draft."
          confirmLabel="Discard"
          keepLabel="Keep writing"
          act={async () => {
            await draft.discard();
            isDiscarded.current = true;
          }}
          done="Text discarded"
          refresh={async () => {}}
          onClose={() => {
            if (isDiscarded.current) return onClose();
            setAsking(false);
            void draft.release();
          }}
        />
      )}
    </form>
  );
}

/** Has the browser ask before it leaves the page; within the portal links wait for a running save. */
function useStayWhile(isBusy: boolean): void {
  useEffect(() => {
    if (isBusy) return askBeforeUnload();
  }, [isBusy]);
}
