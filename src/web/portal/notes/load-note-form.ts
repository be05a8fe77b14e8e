/** Loaded when the page is idle, so that a note can be begun without a connection too. */
const loadForms = () => import('./note-form.tsx');

export const loadNewNoteForm = () => loadForms().then((module) => module.NewNoteForm);
export const loadChangeNoteForm = () => loadForms().then((module) => module.ChangeNoteForm);
