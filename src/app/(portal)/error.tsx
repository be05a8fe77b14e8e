'use client';
export { PageError as default } from '#portal/ui/page-error.tsx';
