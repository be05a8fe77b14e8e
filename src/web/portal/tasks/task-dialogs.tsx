'use client';
import dynamic from 'next/dynamic';

// Loaded on demand, because pages offer them in menus.
const NewTaskDialog = dynamic(() => import('./task-form.tsx').then((module) => module.NewTaskDialog), { ssr: false });
const EditTaskDialog = dynamic(() => import('./task-form.tsx').then((module) => module.EditTaskDialog), {
  ssr: false,
});

export { EditTaskDialog, NewTaskDialog };
