'use client';
import { Mail, Smartphone } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import { Button } from '#web/ui/button.tsx';
import type { Go, Place } from './screen.ts';

type Way = Extract<Place, 'sign-up-by-phone' | 'sign-up-by-email' | 'sign-in-by-phone' | 'sign-in-by-email'>;

const ITEM =
  'flex h-9 flex-1 items-center justify-center gap-1.5 rounded-md text-[13px] font-medium text-muted hover:text-ink data-[state=checked]:bg-raised data-[state=checked]:text-ink data-[state=checked]:shadow-card [&_svg]:size-4';

/** Selects phone or email for sign-up and sign-in. */
export function SignInMethod({ way, go }: { way: Way; go: Go }) {
  const isNew = way.startsWith('sign-up');
  const verb = isNew ? 'sign-up' : 'sign-in';
  return (
    <RadioGroup.Root
      aria-label={isNew ? 'Sign up with' : 'Sign in with'}
      value={way}
      onValueChange={(at) => go({ at: at as Way })}
      className="mb-5 flex gap-1 rounded-lg bg-sunken p-1"
    >
      <RadioGroup.Item value={`${verb}-by-phone`} className={ITEM}>
        <Smartphone aria-hidden />
        Phone
      </RadioGroup.Item>
      <RadioGroup.Item value={`${verb}-by-email`} className={ITEM}>
        <Mail aria-hidden />
        Email
      </RadioGroup.Item>
    </RadioGroup.Root>
  );
}

/** A link from sign-up to sign-in and back. */
export function SignInSwitch({ way, go }: { way: Way; go: Go }) {
  const isNew = way.startsWith('sign-up');
  const other = (isNew ? way.replace('up', 'in') : way.replace('in', 'up')) as Way;
  return (
    <p className="mt-5 text-center text-[13px] text-muted">
      {isNew ? 'Been here before?' : 'New here?'}{' '}
      <Button variant="link" size="sm" onClick={() => go({ at: other })}>
        {isNew ? 'Sign in' : 'Create an account'}
      </Button>
    </p>
  );
}
