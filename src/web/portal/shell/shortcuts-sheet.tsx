'use client';
import type { ReactNode } from 'react';
import { Dialog, DialogBody } from '#web/ui/dialog.tsx';
import { Kbd } from '#web/ui/kbd.tsx';
import type { NavItem } from './navigation.ts';

type ShortcutsSheetProps = {
  items: NavItem[];
  /** Whether the palette has an action that creates something. */
  canCreate: boolean;
  onClose: () => void;
};

/** Lists the keyboard shortcuts. */
export function ShortcutsSheet({ items, canCreate, onClose }: ShortcutsSheetProps) {
  return (
    <Dialog open onOpenChange={onClose} title="Keys" size="sm">
      <DialogBody className="grid gap-5 pb-5">
        <Keys title="Anywhere">
          <Key keys={['⌘', 'K']} alternative={['Ctrl', 'K']} action="Find or do something" />
          <Key keys={['/']} action="Search" />
          {canCreate && <Key keys={['c']} action="Add something new" />}
          <Key keys={['j']} action="Next row of a list" />
          <Key keys={['k']} action="Previous row of a list" />
          <Key keys={['?']} action="These keys" />
          <Key keys={['esc']} action="Close what is open" />
        </Keys>
        <Keys title="Go to">
          {items.map(({ label, letter }) => (
            <Key key={letter} keys={['g', letter]} action={label} />
          ))}
        </Keys>
      </DialogBody>
    </Dialog>
  );
}

function Keys({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1.5 text-xs font-medium text-muted">{title}</h3>
      <dl className="grid gap-1.5">{children}</dl>
    </section>
  );
}

function Key({ keys, alternative, action }: { keys: string[]; alternative?: string[]; action: string }) {
  return (
    <div className="flex items-center justify-between gap-4">
      <dt>{action}</dt>
      <dd className="flex shrink-0 items-center gap-1">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
        {alternative && (
          <>
            <span className="text-[13px] text-muted">or</span>
            {alternative.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </>
        )}
      </dd>
    </div>
  );
}
