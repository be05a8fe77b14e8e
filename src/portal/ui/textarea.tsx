'use client';
import type { ComponentProps } from 'react';
import { cn } from './cn.ts';
import { useFieldWiring } from './field.tsx';
import { controlStyle } from './input.tsx';

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      {...useFieldWiring()}
      rows={3}
      className={cn(controlStyle, 'field-sizing-content min-h-20 py-2', className)}
      {...rest}
    />
  );
}
