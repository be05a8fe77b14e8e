'use client';
import type { ComponentProps } from 'react';
import { cn } from './cn.ts';
import { useFieldWiring } from './field.tsx';
import { controlStyle } from './input.tsx';

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={3} {...useFieldWiring()} className={cn(controlStyle, 'py-1.5', className)} {...rest} />;
}
