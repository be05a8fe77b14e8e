'use client';
import { useSyncExternalStore } from 'react';
import { Button, type ButtonProps } from './button.tsx';

const subscribeToNothing = () => () => {};

/**
 * The submit button of a server-rendered form: disabled until hydration, because a native submit of the browser would
 * reach no handler.
 */
export function SubmitButton({ disabled = false, ...rest }: Omit<ButtonProps, 'type' | 'asChild'>) {
  const isHydrated = useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
  return <Button type="submit" disabled={disabled || !isHydrated} {...rest} />;
}
