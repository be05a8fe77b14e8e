'use client';
import { lazyComponent } from '#web/ui/lazy-component.ts';

// Loaded on demand, because pages offer them in menus.
const NewTaskDialog = lazyComponent(() => import('./task-form.tsx').then((module) => module.NewTaskDialog));
const EditTaskDialog = lazyComponent(() => import('./task-form.tsx').then((module) => module.EditTaskDialog));

export { EditTaskDialog, NewTaskDialog };
