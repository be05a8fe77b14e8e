'use client';
import { toNestErrors } from '@hookform/resolvers';
import { type ReactNode, useEffect, useRef } from 'react';
import {
  Controller,
  type ControllerRenderProps,
  type DefaultValues,
  type FieldError,
  type FieldPath,
  type FieldValues,
  FormProvider,
  get,
  type Resolver,
  type UseFormReturn,
  useForm,
  useFormContext,
} from 'react-hook-form';
import type { z } from 'zod';
import { issueMessage } from '#contract/issue-message.ts';
import { fieldOfError, messageOfError, readApiErrors, shownFieldOf } from './api-errors.ts';
import { Field } from './field.tsx';
import { FormError } from './form-error.tsx';
import { useOutcomeTracker } from './outcome-tracker.tsx';
import { useUnsaved } from './unsaved.tsx';
import { whenIdle } from './when-idle.ts';

export type ApiForm<In extends FieldValues, Out> = UseFormReturn<In, unknown, Out> & {
  submit: () => Promise<void>;
  /** The status text while the outcome of the save is unknown; otherwise null. */
  outcomeStatus: string | null;
};

/**
 * A schema, or a function that loads it: for a form inside a page, which must not wait for code that only saving needs.
 */
type SchemaSource<In, Out> = z.ZodType<Out, In> | (() => Promise<z.ZodType<Out, In>>);

const schemaOf = async <In, Out>(source: SchemaSource<In, Out>): Promise<z.ZodType<Out, In>> =>
  typeof source === 'function' ? source() : source;

/**
 * A form that is validated with the contract's schema, and then by the server.
 * @param options.save rejects with an API error; its errors go to the fields they point at, the rest to `FormRootError`
 * @param options.names fields that have another name than the server's: its path, and the name here
 */
export function useApiForm<In extends FieldValues, Out>(options: {
  schema: SchemaSource<In, Out>;
  defaultValues: DefaultValues<In>;
  save: (values: Out) => Promise<unknown>;
  names?: Record<string, string>;
}): ApiForm<In, Out> {
  const { schema, names } = options;
  const schemaSource = useRef(schema);
  useEffect(() => {
    const source = schemaSource.current;
    if (typeof source === 'function') return whenIdle(source);
  }, []);
  const form = useForm<In, unknown, Out>({
    resolver: async (values, context, resolverOptions) =>
      resolverOf(await schemaOf(schema))(values, context, resolverOptions),
    defaultValues: options.defaultValues,
    // After an error a field is validated on change, not on blur, so that the server's message stays readable.
    mode: 'onSubmit',
    reValidateMode: 'onChange',
  });
  const { checking: outcomeStatus, follow } = useOutcomeTracker();
  const save = form.handleSubmit(async (values) => {
    try {
      await follow(() => options.save(values));
      // Saved values are no longer unsaved changes.
      form.reset(form.getValues(), { keepErrors: true });
    } catch (error) {
      showApiErrors(form, error, names);
    }
  });
  // Without a connection the schema may fail to load.
  const submit = () => save().catch((error) => showApiErrors(form, error, names));
  return { ...form, submit, outcomeStatus };
}

/** Validates with the schema and uses messages for users instead of the schema's own. */
function resolverOf<In extends FieldValues, Out>(schema: z.ZodType<Out, In>): Resolver<In, unknown, Out> {
  return (values, _context, options) => {
    const { data, error } = schema.safeParse(values);
    if (!error) return { values: data, errors: {} };
    const errors: Record<string, FieldError> = {};
    for (const issue of error.issues)
      errors[issue.path.join('.')] ??= { type: issue.code, message: issueMessage(issue) };
    return { values: {}, errors: toNestErrors(errors, options) };
  };
}

function showApiErrors<In extends FieldValues, Out>(
  form: UseFormReturn<In, unknown, Out>,
  error: unknown,
  names: Record<string, string> | undefined,
) {
  const isShown = (field: string) => {
    const known: { _f?: { mount?: boolean } } | undefined = get(form.control._fields, field);
    return known?._f?.mount === true;
  };
  let shouldFocus = true;
  for (const entry of readApiErrors(error)) {
    const field = fieldOfError(entry);
    const name = field && shownFieldOf(field, { names, isShown });
    const fieldError = { type: entry.code, message: messageOfError(entry) };
    if (name) {
      form.setError(name as FieldPath<In>, fieldError, { shouldFocus });
      shouldFocus = false;
    } else form.setError('root.server', fieldError);
  }
}

type FormProps<In extends FieldValues, Out> = { form: ApiForm<In, Out>; className?: string; children: ReactNode };

export function Form<In extends FieldValues, Out>({ form, className, children }: FormProps<In, Out>) {
  const { isDirty, isSubmitting } = form.formState;
  // A save with unknown outcome may take minutes: the form asks before it closes, and the save continues.
  useUnsaved(isSubmitting && !form.outcomeStatus ? 'saving' : isDirty || isSubmitting);
  return (
    <FormProvider {...form}>
      <form
        noValidate
        className={className}
        onSubmit={(event) => {
          // A form in a dialog is inside another form's React tree: its submit event must not reach the outer form.
          event.preventDefault();
          event.stopPropagation();
          void form.submit();
        }}
      >
        {children}
      </form>
    </FormProvider>
  );
}

/** The errors that belong to no field; each form decides where to show them. */
export function FormRootError() {
  const { formState } = useFormContext();
  const message = formState.errors.root?.server?.message;
  return message ? <FormError>{message}</FormError> : null;
}

type FormFieldProps = {
  name: string;
  label: ReactNode;
  hint?: ReactNode;
  required?: boolean;
  hideLabel?: boolean;
  className?: string;
  /** Renders the control with react-hook-form's value and handlers: `(field) => <Input {...field} />`. */
  children: (field: ControllerRenderProps) => ReactNode;
};

export function FormField({ name, children, ...rest }: FormFieldProps) {
  const { control } = useFormContext();
  return (
    <Controller
      control={control}
      name={name}
      render={({ field, fieldState }) => (
        <Field {...rest} error={fieldState.error?.message}>
          {children({ ...field, value: field.value ?? '' })}
        </Field>
      )}
    />
  );
}
