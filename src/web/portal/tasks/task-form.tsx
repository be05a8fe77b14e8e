'use client';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { z } from 'zod';
import { TASK_ROLES } from '#contract/roles.ts';
import { CreateTaskInput, MAX_TASK_NOTE, type NamedTask } from '#contract/tasks.ts';
import { Button } from '#web/ui/button.tsx';
import { Combobox, type ComboboxOption } from '#web/ui/combobox.tsx';
import { Dialog, DialogBody } from '#web/ui/dialog.tsx';
import { DialogForm } from '#web/ui/dialog-form.tsx';
import { FormField, useApiForm } from '#web/ui/form.tsx';
import { addDays } from '#web/ui/format-time.ts';
import { Input } from '#web/ui/input.tsx';
import { LongText } from '#web/ui/long-text.tsx';
import { Select, type SelectOption } from '#web/ui/select.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { ROLE_NAMES, useMe } from '../me.tsx';
import { usePatientLabels } from '../patients/use-patient-labels.ts';
import { usePatientOptions } from '../patients/use-patient-search.ts';
import { ANYONE, choiceOfRole } from './assignee.ts';
import { QUICK_DUE } from './due.ts';
import { inputOf, type TaskStart, type TaskValues, valuesOfStart, valuesOfTask } from './task-values.ts';
import { useRefreshTasks } from './use-refresh-tasks.ts';
import { useToday } from './use-today.ts';

type NewTaskDialogProps = { start?: TaskStart; onClose: () => void };

/** Creates a task, which may be about a patient and one of their appointments or payments. */
export function NewTaskDialog({ start = {}, onClose }: NewTaskDialogProps) {
  const { patient } = start;
  const lookup = usePatientLabels(patient && patient.name === undefined ? [patient.id] : []);
  const name = patient && (patient.name ?? lookup?.(patient.id)?.name);
  const isReady = !patient || name !== undefined;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="New task"
      {...(name && { description: `About ${name}` })}
    >
      {isReady ? (
        <NewTaskForm
          start={patient && name ? { ...start, patient: { id: patient.id, name } } : start}
          close={onClose}
        />
      ) : (
        <DialogBody className="grid content-start gap-4 pb-5">
          <p role="status">
            <Skeleton className="h-8.5 w-full" />
            <span className="sr-only">Loading…</span>
          </p>
        </DialogBody>
      )}
    </Dialog>
  );
}

function NewTaskForm({ start, close }: { start: TaskStart; close: () => void }) {
  const client = useTRPCClient();
  const { user } = useMe();
  const today = useToday();
  const { subject } = start;
  return (
    <TaskForm
      values={valuesOfStart(start, { userId: user.id, today })}
      submitLabel="Create task"
      done="Task created"
      choosesPatient={!start.patient && !subject}
      save={({ patient, ...values }) =>
        client.tasks.create.mutate({
          ...inputOf(values),
          ...(patient && { patient_id: patient.value }),
          ...(subject && { subject_type: subject.type, subject_id: subject.id }),
        })
      }
      close={close}
    />
  );
}

export function EditTaskDialog({ task, onClose }: { task: NamedTask; onClose: () => void }) {
  const client = useTRPCClient();
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Edit task"
      {...(task.patient_name && { description: `About ${task.patient_name}` })}
    >
      <TaskForm
        task={task}
        values={valuesOfTask(task)}
        submitLabel="Save task"
        done="Task saved"
        save={({ patient: _, ...values }) => client.tasks.update.mutate({ id: task.id, ...inputOf(values) })}
        close={onClose}
      />
    </Dialog>
  );
}

const { title: Title } = CreateTaskInput.shape;

type TaskFormProps = {
  /** The task that is changed; none for a new one. */
  task?: NamedTask;
  values: TaskValues;
  submitLabel: string;
  done: string;
  choosesPatient?: boolean;
  save: (values: TaskValues) => Promise<unknown>;
  close: () => void;
};

function TaskForm({ task, values, submitLabel, done, choosesPatient = false, save, close }: TaskFormProps) {
  const refresh = useRefreshTasks();
  const { user } = useMe();
  const options = useAssigneeOptions(task);
  const searchPatients = usePatientOptions();
  const dateInput = useRef<HTMLInputElement>(null);
  const form = useApiForm({
    schema: z.object({
      title: Title,
      note: z.string().trim().max(MAX_TASK_NOTE),
      // The browser reports a date that is written in part as empty.
      due_date: z.string().refine(() => !dateInput.current?.validity.badInput, 'Write the whole date, or clear it.'),
      assigned_to: z.string().min(1, 'Choose another, because the last one has left.'),
      patient: z.custom<ComboboxOption | null>(),
    }),
    defaultValues: values,
    save: async (changed) => {
      await save(changed);
      const { assigned_to } = changed;
      const assignee = options.find(({ value }) => value === assigned_to)?.label;
      toast.success(
        done,
        assignee && assigned_to !== user.id
          ? { description: assigned_to === ANYONE ? 'For anyone' : `Assigned to ${assignee}` }
          : {},
      );
      close();
      await refresh();
    },
  });
  return (
    <DialogForm form={form} submitLabel={submitLabel}>
      <FormField name="title" label="Title">
        {(field) => <Input {...field} autoComplete="off" />}
      </FormField>
      {choosesPatient && (
        <FormField name="patient" label="Patient" required={false}>
          {({ value, onChange, ref }) => (
            <Combobox
              ref={ref}
              value={(value || null) as ComboboxOption | null}
              onChange={onChange}
              search={searchPatients}
              placeholder="Search by name, date of birth or phone"
            />
          )}
        </FormField>
      )}
      <FormField name="note" label="Details" required={false} hint="Your whole team can read this.">
        {(field) => <LongText {...field} value={field.value} limit={MAX_TASK_NOTE} />}
      </FormField>
      <FormField name="due_date" label="Due" required={false}>
        {({ ref, ...field }) => (
          <div className="grid gap-2">
            <Input
              {...field}
              ref={(input) => {
                ref(input);
                dateInput.current = input;
              }}
              type="date"
              max="2999-12-31"
            />
            <QuickDue value={field.value} onChange={field.onChange} />
          </div>
        )}
      </FormField>
      <FormField
        name="assigned_to"
        label="Assigned to"
        hint={<AssigneeHint choice={form.watch('assigned_to')} {...task} />}
      >
        {({ value, onChange }) => <Select options={options} value={value} onValueChange={onChange} />}
      </FormField>
    </DialogForm>
  );
}

function QuickDue({ value, onChange }: { value: string; onChange: (day: string) => void }) {
  const today = useToday();
  return (
    <fieldset aria-label="Due in" className="flex flex-wrap gap-1.5">
      {QUICK_DUE.map(({ label, days }) => {
        const day = addDays(today, days);
        return (
          <Button
            key={label}
            size="sm"
            aria-pressed={value === day}
            onClick={() => onChange(day)}
            className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
          >
            {label}
          </Button>
        );
      })}
    </fieldset>
  );
}

type AssigneeHintProps = Partial<Pick<NamedTask, 'assignee_left' | 'assignee_name'>> & { choice: string };

/** Says in which list a task shows that is not the reader's own, and why an assignee has to be chosen. */
function AssigneeHint({ choice, assignee_left, assignee_name }: AssigneeHintProps) {
  if (choice === ANYONE) return 'It shows among everyone’s own tasks until it is done.';
  if (choice === '' && assignee_left) return `${assignee_name ?? 'The colleague'} has left. Choose another.`;
  return null;
}

/** The reader, anyone, the roles and the other colleagues, with the task's present assignee among them. */
function useAssigneeOptions(task: NamedTask | undefined): SelectOption[] {
  const trpc = useTRPC();
  const { user } = useMe();
  const colleagues = useQuery(trpc.tasks.assignees.queryOptions());
  const options: SelectOption[] = [
    { value: user.id, label: user.name, hint: 'You' },
    { value: ANYONE, label: 'Anyone' },
    ...TASK_ROLES.map((role) => ({ value: choiceOfRole(role), label: ROLE_NAMES[role], hint: 'Role' })),
    ...(colleagues.data ?? []).filter(({ id }) => id !== user.id).map(({ id, name }) => ({ value: id, label: name })),
  ];
  const present = task && presentOption(task);
  const isListed = !present || options.some(({ value }) => value === present.value);
  return isListed ? options : [...options, present];
}

/** Keeps an assignee who is not offered, or while the colleagues load. */
function presentOption({ assignee_id, assignee_role, assignee_name, assignee_left }: NamedTask): SelectOption | null {
  if (assignee_role) return { value: choiceOfRole(assignee_role), label: ROLE_NAMES[assignee_role], hint: 'Role' };
  return assignee_id && !assignee_left ? { value: assignee_id, label: assignee_name ?? 'A colleague' } : null;
}
