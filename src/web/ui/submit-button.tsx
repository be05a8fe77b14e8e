'use client';
import { useSyncExternalStore } from 'react';
import { Button, type ButtonProps } from './button.tsx';

const never = () => () => {};

/**
 * The submit button of a server-rendered form: disabled until hydration, because a native submit of the browser would
 * reach no handler.
 */
export function SubmitButton({ disabled = false, ...rest }: Omit<ButtonProps, 'type' | 'asChild'>) {
  const isHeard = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  return <Button type="submit" disabled={disabled || !isHeard} {...rest} />;
}
