'use client';
import { Command } from 'cmdk';
import { LoaderCircle, type LucideIcon, Search } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Avatar } from './avatar.tsx';
import { Kbd } from './kbd.tsx';
import { type AsyncSearch, useAsyncSearch } from './use-async-search.ts';

export type PaletteEntry = { label: string; href: string; icon: LucideIcon; keywords?: string[] };
export type PalettePatient = { id: string; name: string; hint: string };

export type PaletteProps = {
  onClose: () => void;
  entries: PaletteEntry[];
  searchPatients: AsyncSearch<PalettePatient>;
};

const MIN_LETTERS = 2;

const itemStyle =
  'flex cursor-default items-center gap-3 rounded-md px-2.5 py-2 select-none aria-selected:bg-hover max-md:py-2.5';
const groupStyle =
  '**:[[cmdk-group-heading]]:px-2.5 **:[[cmdk-group-heading]]:py-1.5 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:text-muted';

export function CommandPalettePanel({ onClose, entries, searchPatients }: PaletteProps) {
  const router = useRouter();
  const [text, setText] = useState('');
  const { results: patients, searching, failed } = useAsyncSearch(text, searchPatients, MIN_LETTERS);
  const words = text.trim().toLowerCase();
  const pages = entries.filter((entry) =>
    [entry.label, ...(entry.keywords ?? [])].some((word) => word.toLowerCase().includes(words)),
  );
  const go = (href: string) => {
    onClose();
    router.push(href);
  };
  const Icon = searching ? LoaderCircle : Search;
  return (
    <Command label="Go to a page or a patient" shouldFilter={false} loop>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Icon aria-hidden className={`size-4 shrink-0 text-muted ${searching ? 'animate-spin' : ''}`} />
        <Command.Input
          autoFocus
          value={text}
          onValueChange={setText}
          placeholder="Find a patient or go to a page…"
          className="h-12 w-full bg-transparent text-[15px] outline-none max-md:text-base"
        />
        <Kbd>esc</Kbd>
      </div>
      <Command.List className="max-h-[min(24rem,60vh)] overflow-y-auto p-1.5">
        {failed && (
          <p role="alert" className="px-2.5 py-2 text-danger-ink">
            Patients could not be searched. Try again.
          </p>
        )}
        {!searching && (
          <Command.Empty className="px-2.5 py-6 text-center text-muted">Nothing found for “{text}”.</Command.Empty>
        )}
        {patients.length > 0 && (
          <Command.Group heading="Patients" className={groupStyle}>
            {patients.map((patient) => (
              <Command.Item
                key={patient.id}
                value={patient.id}
                onSelect={() => go(`/patients/${patient.id}`)}
                className={itemStyle}
              >
                <Avatar name={patient.name} />
                <span className="flex min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-3">
                  <span className="truncate font-medium">{patient.name}</span>
                  <span className="truncate text-[13px] text-muted">{patient.hint}</span>
                </span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {pages.length > 0 && (
          <Command.Group heading="Go to" className={groupStyle}>
            {pages.map((page) => (
              <Command.Item key={page.href} value={page.href} onSelect={() => go(page.href)} className={itemStyle}>
                <page.icon aria-hidden className="size-4 text-muted" />
                {page.label}
              </Command.Item>
            ))}
          </Command.Group>
        )}
      </Command.List>
    </Command>
  );
}
