'use client';
import { Send } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import type { SubscriptionRow } from './subscription-columns.tsx';

const SendLinksDialog = dynamic(() => import('./send-links-dialog.tsx').then((module) => module.SendLinksDialog), {
  ssr: false,
});

type PickedBarProps = { open: number; chosen: SubscriptionRow[]; onAll: () => void; onNone: () => void };

/** Actions on several rows at once. */
export function PickedBar({ open, chosen, onAll, onNone }: PickedBarProps) {
  const [sending, setSending] = useState<SubscriptionRow[] | null>(null);
  const count = chosen.length;
  return (
    <div className="flex basis-full flex-wrap items-center gap-2">
      {count < open ? (
        <Button size="sm" className="max-md:h-9" onClick={onAll}>
          Choose all
        </Button>
      ) : (
        <Button size="sm" className="max-md:h-9" onClick={onNone}>
          Choose none
        </Button>
      )}
      <Button
        size="sm"
        className="max-md:h-9"
        variant="primary"
        disabled={count === 0}
        onClick={() => setSending(chosen)}
      >
        <Send aria-hidden />
        Send payment links
      </Button>
      <p role="status" className="text-[13px] text-muted">
        {count === 0 ? 'Choose patients to remind.' : `${count} chosen`}
      </p>
      {sending && (
        <SendLinksDialog
          rows={sending}
          onClose={() => {
            setSending(null);
            onNone();
          }}
        />
      )}
    </div>
  );
}
