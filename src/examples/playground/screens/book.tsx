'use client';
import { RadioGroup } from 'radix-ui';
import { Button } from '#web/ui/button.tsx';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { Loading } from '../loading.tsx';
import type { Go } from '../screen.ts';
import { bookAppointment } from '../steps/book-appointment.ts';
import { listAppointmentTypes } from '../steps/list-slots.ts';
import { useLoaded } from '../use-loaded.ts';
import { ChooseTime } from './choose-time.tsx';

type BookProps = { patientId: string; typeId?: number | undefined; go: Go };

export function Book({ patientId, typeId, go }: BookProps) {
  const { data: types, error, reload } = useLoaded(listAppointmentTypes);
  if (!types) return <Loading error={error} what="appointment types" onRetry={reload} />;
  const type = types.find(({ id }) => id === typeId);
  if (!type)
    return (
      <RadioGroup.Root
        aria-label="Appointment type"
        value=""
        onValueChange={(id) => go({ at: 'book', typeId: Number(id) })}
        className="grid gap-2"
      >
        {types.map(({ id, name, description, duration_minutes }) => (
          <ChoiceCard key={id} value={String(id)} title={name} hint={description} aside={`${duration_minutes} min`} />
        ))}
      </RadioGroup.Root>
    );
  return (
    <div className="grid gap-4">
      <p className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-medium">{type.name}</span>
        <Button variant="link" size="sm" onClick={() => go({ at: 'book' })}>
          Another type
        </Button>
      </p>
      <ChooseTime
        typeId={type.id}
        submit="Book"
        onChosen={async (fromDate) => {
          await bookAppointment(patientId, type.id, fromDate);
          go({ at: 'appointments' });
        }}
      />
    </div>
  );
}
