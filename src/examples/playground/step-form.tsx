'use client';
import type { FormEvent, ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { ErrorMessage } from './error-message.tsx';
import { useAction } from './use-action.ts';

/** Returns the value of the field with that name. */
type ReadField = (name: string) => string;

type StepFormProps = { submit: string; action: (typed: ReadField) => Promise<void>; children: ReactNode };

/** The fields and the submit button of a step. The input stays when a step fails. */
export function StepForm({ submit, action, children }: StepFormProps) {
  const { pending, error, run } = useAction();
  const submitForm = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const formData = new FormData(event.currentTarget);
    void run(() => action((name) => String(formData.get(name) ?? '')));
  };
  return (
    <form onSubmit={submitForm} className="grid gap-4">
      {children}
      <ErrorMessage error={error} />
      <Button type="submit" variant="primary" size="lg" pending={pending}>
        {submit}
      </Button>
    </form>
  );
}
