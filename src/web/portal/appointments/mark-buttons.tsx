'use client';
import { Button } from '#web/ui/button.tsx';
import type { MarkEntry } from './use-mark-appointment.ts';

export const MarkButtons = ({ entries }: { entries: MarkEntry[] }) =>
  entries.map(({ label, icon: Icon, onSelect }) => (
    <Button key={label} onClick={onSelect}>
      <Icon aria-hidden />
      {label}
    </Button>
  ));
