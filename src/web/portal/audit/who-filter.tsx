'use client';
import { useQuery } from '@tanstack/react-query';
import type { AuditEntryView } from '#contract/audit.ts';
import { FilterSelect } from '#web/ui/plain-select.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { actorName } from './action-labels.ts';
import { ACTOR_TYPES, isId } from './actor-filter.ts';

type WhoFilterProps = { value: string; onChange: (who: string) => void; entries: AuditEntryView[] | undefined };

/** Filters by actor: colleagues, also former ones, applications, and those of `ACTOR_TYPES`; one patient by their id. */
export function WhoFilter({ value, onChange, entries }: WhoFilterProps) {
  const trpc = useTRPC();
  const team = useQuery(trpc.team.list.queryOptions({}));
  const applications = useQuery(trpc.applications.list.queryOptions({}));
  const options: { value: string; label: string }[] = [
    { value: '', label: 'Anybody' },
    ...ACTOR_TYPES,
    ...(team.data ?? []).map(({ id, name, email, status }) => ({
      value: id,
      label: `${name || email}${status === 'disabled' ? ' (disabled)' : ''}`,
    })),
    ...(applications.data ?? []).map(({ client_id, name }) => ({ value: client_id, label: name })),
  ];
  if (isId(value) && team.data && applications.data && !options.some((option) => option.value === value)) {
    const actor = entries?.find((entry) => entry.actor.id === value)?.actor;
    options.push({ value, label: actor ? actorName(actor) : 'One person' });
  }
  return <FilterSelect label="Who" options={options} value={value} onChange={onChange} />;
}
