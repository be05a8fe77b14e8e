'use client';
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, type ButtonProps } from './button.tsx';

type CopyButtonProps = Omit<ButtonProps, 'onClick' | 'children' | 'value'> & {
  value: string | (() => Promise<string>);
  label?: string;
};

/** Copies a text, or one that is fetched on press (a checkout link). Shows and announces the result for two seconds. */
export function CopyButton({ value, label = 'Copy', ...rest }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'working' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state !== 'copied' && state !== 'failed') return;
    const timer = setTimeout(() => setState('idle'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    setState('working');
    try {
      await navigator.clipboard.writeText(typeof value === 'string' ? value : await value());
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  const Icon = state === 'copied' ? Check : Copy;
  return (
    <Button {...rest} pending={state === 'working'} onClick={copy}>
      {state !== 'working' && <Icon aria-hidden className={state === 'copied' ? 'text-good-ink' : ''} />}
      <span aria-live="polite">{state === 'copied' ? 'Copied' : state === 'failed' ? 'Could not copy' : label}</span>
    </Button>
  );
}
