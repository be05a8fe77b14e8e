'use client';
import { useSyncExternalStore } from 'react';
import { Button, type ButtonProps } from './button.tsx';

const never = () => () => {};

/**
 * For a form that the server has drawn already: until its script hears, a press would make the browser itself send it,
 * which leads nowhere.
 */
export function SubmitButton({ disabled = false, ...rest }: Omit<ButtonProps, 'type' | 'asChild'>) {
  const isHeard = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  return <Button type="submit" disabled={disabled || !isHeard} {...rest} />;
}
