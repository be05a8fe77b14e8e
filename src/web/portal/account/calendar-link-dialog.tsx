'use client';
import { SecretField } from '#web/ui/copy-field.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { ShownOnce } from '#web/ui/shown-once.tsx';

/** The only time the link is seen. */
export function CalendarLinkDialog({ url, onDone }: { url: string; onDone: () => void }) {
  return (
    <Dialog
      open
      isHeld
      onOpenChange={(open) => !open && onDone()}
      title="The link to your calendar"
      description="Add it to your calendar program as a calendar by address. A link made before leads nowhere any more."
    >
      <ShownOnce onDone={onDone}>
        <SecretField label="Link" value={url} />
      </ShownOnce>
    </Dialog>
  );
}
