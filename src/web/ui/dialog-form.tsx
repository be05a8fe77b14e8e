'use client';
import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Button } from './button.tsx';
import { DialogBody, DialogCancel, DialogFooter } from './dialog.tsx';
import { type ApiForm, Form, FormRootError } from './form.tsx';
import { OutcomeStatus } from './outcome-tracker.tsx';

type DialogFormProps<In extends FieldValues, Out> = {
  form: ApiForm<In, Out>;
  submitLabel: string;
  /** Disables the submit button. */
  disabled?: boolean;
  children: ReactNode;
};

/** A form that fills a dialog: its fields scroll, its actions stay in the footer. */
export function DialogForm<In extends FieldValues, Out>(props: DialogFormProps<In, Out>) {
  const { form, submitLabel, disabled, children } = props;
  return (
    <Form form={form} className="flex min-h-0 flex-1 flex-col">
      <DialogBody className="grid content-start gap-4">
        <FormRootError />
        <OutcomeStatus message={form.outcomeStatus} />
        {children}
      </DialogBody>
      <DialogFooter>
        <DialogCancel asChild>
          <Button>Close</Button>
        </DialogCancel>
        <Button type="submit" variant="primary" disabled={disabled} pending={form.formState.isSubmitting}>
          {submitLabel}
        </Button>
      </DialogFooter>
    </Form>
  );
}
