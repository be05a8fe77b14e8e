'use client';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useMay } from '../me.tsx';
import { TaskRows } from './task-rows.tsx';

/** A patient has few open tasks: all of them are shown. */
const MAX_SHOWN = 100;

type PatientTasksProps = {
  patientId: string;
  name: string;
  /** Absent where nothing new starts for the patient. */
  onNew?: () => void;
};

/** The open tasks about a patient; renders nothing without any. */
export function PatientTasks({ patientId, name, onNew }: PatientTasksProps) {
  const trpc = useTRPC();
  const mayWrite = useMay('tasks:write');
  const { data } = useQuery(trpc.tasks.show.queryOptions({ patient_id: patientId, size: MAX_SHOWN }));
  if (!data?.items.length) return null;
  return (
    <section className="grid gap-2">
      <div className="flex items-center justify-between gap-3">
        <h2 className="font-semibold">Open tasks</h2>
        {mayWrite && onNew && (
          <Button size="sm" className="print:hidden" onClick={onNew}>
            <Plus aria-hidden />
            New task
          </Button>
        )}
      </div>
      <Card aria-label={`Open tasks about ${name}`}>
        <TaskRows tasks={data.items} of="patient" />
      </Card>
    </section>
  );
}
