'use client';
import { lazyComponent } from '#web/ui/lazy-component.ts';

// Loaded on demand, because most readers open none of them.
export const EarlierTexts = lazyComponent(() => import('./earlier-texts.tsx').then((module) => module.EarlierTexts));
export const RemoveNote = lazyComponent(() => import('./remove-note.tsx').then((module) => module.RemoveNote));
