'use client';
import dynamic from 'next/dynamic';

// Loaded on demand, because most readers open none of them.
export const EarlierTexts = dynamic(() => import('./earlier-texts.tsx').then((module) => module.EarlierTexts), {
  ssr: false,
});
export const RemoveNote = dynamic(() => import('./remove-note.tsx').then((module) => module.RemoveNote), {
  ssr: false,
});
