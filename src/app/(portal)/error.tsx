'use client';
export { PageError as default } from '#web/ui/page-error.tsx';
