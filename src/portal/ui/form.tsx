'use client';
import { type ReactNode, useEffect, useRef } from 'react';
import {
  Controller,
  type ControllerRenderProps,
  type DefaultValues,
  type FieldPath,
  type FieldValues,
  FormProvider,
  type Resolver,
  type UseFormReturn,
  useForm,
  useFormContext,
} from 'react-hook-form';
import type { z } from 'zod';
import { fieldOfFault, readApiFaults } from './api-faults.ts';
import { Field } from './field.tsx';
import { FormError } from './form-error.tsx';
import { whenIdle } from './when-idle.ts';

export type ApiForm<In extends FieldValues, Out> = UseFormReturn<In, unknown, Out> & { submit: () => Promise<void> };

/** By itself, or how it is fetched: for a form that stands on a page, which shall not wait for what only saving needs. */
export type SchemaSource<In, Out> = z.ZodType<Out, In> | (() => Promise<z.ZodType<Out, In>>);

const schemaOf = async <In, Out>(source: SchemaSource<In, Out>): Promise<z.ZodType<Out, In>> =>
  typeof source === 'function' ? source() : source;

/**
 * A form checked by the contract's own schema and then by the server.
 * `save` rejects with an API error; its faults go to the fields they point at, the rest to FormRootError.
 */
export function useApiForm<In extends FieldValues, Out>(options: {
  schema: SchemaSource<In, Out>;
  defaultValues: DefaultValues<In>;
  save: (values: Out) => Promise<unknown>;
}): ApiForm<In, Out> {
  const { schema } = options;
  const later = useRef(schema);
  useEffect(() => {
    const source = later.current;
    if (typeof source === 'function') return whenIdle(() => resolverOf(source).catch(() => {}));
  }, []);
  const form = useForm<In, unknown, Out>({
    resolver: async (values, context, given) => (await resolverOf(schema))(values, context, given),
    defaultValues: options.defaultValues,
    // After a refusal a field is judged again as it changes, not when it is left: the server's sentence stays readable.
    mode: 'onSubmit',
    reValidateMode: 'onChange',
  });
  const save = form.handleSubmit(async (values) => {
    try {
      await options.save(values);
    } catch (error) {
      showFaults(form, error);
    }
  });
  // What checks the form may not have come, without a connection.
  const submit = () => save().catch((error) => showFaults(form, error));
  return { ...form, submit };
}

async function resolverOf<In extends FieldValues, Out>(
  source: SchemaSource<In, Out>,
): Promise<Resolver<In, unknown, Out>> {
  const [{ zodResolver }, schema] = await Promise.all([import('@hookform/resolvers/zod'), schemaOf(source)]);
  return zodResolver(schema);
}

function showFaults<In extends FieldValues, Out>(form: UseFormReturn<In, unknown, Out>, error: unknown) {
  const known = form.getValues();
  let shouldFocus = true;
  for (const fault of readApiFaults(error)) {
    const name = fieldOfFault(fault);
    const sentence = { type: fault.code, message: fault.detail ?? fault.title };
    if (name && name.split('.')[0]! in known) {
      form.setError(name as FieldPath<In>, sentence, { shouldFocus });
      shouldFocus = false;
    } else form.setError('root.server', sentence);
  }
}

type FormProps<In extends FieldValues, Out> = { form: ApiForm<In, Out>; className?: string; children: ReactNode };

export function Form<In extends FieldValues, Out>({ form, className, children }: FormProps<In, Out>) {
  return (
    <FormProvider {...form}>
      <form
        noValidate
        className={className}
        onSubmit={(event) => {
          // A form in a dialog is inside another form's React tree: its submit must not reach the outer one.
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

/** The faults that belong to no field; where a form shows them is its own choice. */
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
