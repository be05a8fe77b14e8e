import {
  CreateNoteInput,
  NoteIdInput,
  SaveNoteDraftInput,
  SearchNotesInput,
  ShowNotesInput,
  UpdateNoteInput,
} from '#contract/notes.ts';
import { AppointmentIdInput, SetStaffNoteInput } from '#contract/scheduling.ts';
import { noPatient, patientData, router } from '../core/trpc.ts';
import { getAppointmentNote, setAppointmentNote } from './appointment-note.ts';
import { createNote } from './create-note.ts';
import { saveNoteDraft } from './save-draft.ts';
import { searchNotes } from './search-notes.ts';
import { listNoteVersions, showNotes } from './show-notes.ts';
import { updateNote } from './update-note.ts';

export const notesRouter = router({
  show: patientData('Note', { action: 'notes.list' })
    .input(ShowNotesInput)
    .query(({ ctx, input }) => showNotes(ctx, input)),
  // A POST, so that the words are in no address.
  search: patientData('Note')
    .input(SearchNotesInput)
    .mutation(({ ctx, input }) => searchNotes(ctx, input)),
  listVersions: patientData('Note')
    .input(NoteIdInput)
    .query(({ ctx, input }) => listNoteVersions(ctx, input)),
  create: patientData('Note')
    .input(CreateNoteInput)
    .mutation(({ ctx, input }) => createNote(ctx, input)),
  update: patientData('Note')
    .input(UpdateNoteInput)
    .mutation(({ ctx, input }) => updateNote(ctx, input)),
  saveDraft: noPatient.input(SaveNoteDraftInput).mutation(({ ctx, input }) => saveNoteDraft(ctx, input)),
  getOfAppointment: patientData('Appointment', { action: 'appointments.get' })
    .input(AppointmentIdInput)
    .query(({ ctx, input }) => getAppointmentNote(ctx, input)),
  setOfAppointment: patientData('Appointment', { action: 'appointments.set_note' })
    .input(SetStaffNoteInput)
    .mutation(({ ctx, input }) => setAppointmentNote(ctx, input)),
});
