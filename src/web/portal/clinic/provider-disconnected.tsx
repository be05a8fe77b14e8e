import { Unplug } from 'lucide-react';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { Link } from '#web/ui/link.tsx';
import { useMay } from '../me.tsx';

const PROVIDER = SCHEDULING_PROVIDER.name;

/** Notice above appointments that are still shown after the clinic's account was disconnected. */
export function ProviderDisconnected() {
  const mayConnect = useMay('settings:manage');
  const mayBook = useMay('appointments:write');
  return (
    <Card aria-label={`${PROVIDER} is disconnected`} className="mb-4 flex flex-wrap items-center gap-3 px-4 py-3">
      <Unplug aria-hidden className="size-4 shrink-0 text-muted" />
      <p className="min-w-0 flex-1 basis-60">
        <span className="font-medium">{PROVIDER} is disconnected.</span> What was booked before is shown. Nothing can be
        booked, moved or canceled here, and what changes in {PROVIDER} is not seen.
        {!mayConnect && mayBook && ' Ask an administrator of your clinic to connect it.'}
      </p>
      {mayConnect && (
        <Button asChild>
          <Link href="/settings/integrations">Connect times</Link>
        </Button>
      )}
    </Card>
  );
}
