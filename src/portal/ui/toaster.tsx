'use client';
import { useTheme } from 'next-themes';
import { Toaster as Sonner } from 'sonner';

export { toast } from 'sonner';

/** One place for short confirmations. Errors that need an answer belong in the form or page, not here. */
export function Toaster() {
  const { theme } = useTheme();
  return (
    <Sonner
      theme={theme as 'light' | 'dark' | 'system'}
      position="bottom-right"
      gap={8}
      mobileOffset={{ bottom: '5rem' }}
      toastOptions={{
        classNames: {
          toast: '!rounded-lg !border-line !bg-raised !text-ink !shadow-pop !font-sans !text-sm',
          description: '!text-muted',
        },
      }}
    />
  );
}
