'use client';
import { SecretField } from '#web/ui/copy-field.tsx';
import { Dialog, ShownOnce } from '#web/ui/dialog.tsx';

/** Shows the calendar link once; it cannot be displayed again. */
export function CalendarLinkDialog({ url, onDone }: { url: string; onDone: () => void }) {
  return (
    <Dialog
      open
      isHeld
      onOpenChange={(open) => !open && onDone()}
      title="The link to your calendar"
      description="Add it to your calendar program as a calendar from a web address. Earlier links no longer work."
    >
      <ShownOnce onDone={onDone}>
        <SecretField label="Link" value={url} />
      </ShownOnce>
    </Dialog>
  );
}
