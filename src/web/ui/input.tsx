'use client';
import type { ComponentProps } from 'react';
import { cn } from './cn.ts';
import { useFieldWiring } from './field.tsx';

/** 16 px on phones, since iOS zooms into smaller fields. */
export const controlStyle =
  'w-full rounded-md border border-field bg-surface px-2.5 text-ink placeholder-shown:text-ellipsis max-md:text-base transition-colors hover:border-muted focus-visible:outline-offset-0 disabled:opacity-55 aria-invalid:border-danger';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...useFieldWiring()} className={cn(controlStyle, 'h-8.5 max-md:h-10', className)} {...rest} />;
}

/** Without `maxLength`, which would cut a pasted text unnoticed: a text with a limit is a `LongText`. */
export function Textarea({ className, ...rest }: Omit<ComponentProps<'textarea'>, 'maxLength'>) {
  return <textarea rows={3} {...useFieldWiring()} className={cn(controlStyle, 'py-1.5', className)} {...rest} />;
}
