const loadForms = () => import('./note-form.tsx');

export const loadNewNoteForm = () => loadForms().then((module) => module.NewNoteForm);
export const loadChangeNoteForm = () => loadForms().then((module) => module.ChangeNoteForm);

/** Loads what writing needs without a connection: the forms, and the question before a page with unsaved text is left. */
export const prepareToWrite = () => Promise.all([loadForms(), import('#web/ui/leave-question.tsx')]);
