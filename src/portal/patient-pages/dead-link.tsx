import { Link2Off } from 'lucide-react';
import { EmptyState } from '#portal/ui/empty-state.tsx';
import { LogoMark } from '#portal/ui/logo.tsx';

/** What a patient reads whose link leads nowhere: whose page this is, and how to go on. No request's number, for nothing broke. */
export function DeadLink({ title, wayOn }: { title: string; wayOn: string }) {
  return (
    <>
      <LogoMark className="size-7" />
      <EmptyState
        icon={Link2Off}
        title={title}
        description={`This link is incomplete, or does not work any more. Open the whole link from your message, or ${wayOn}.`}
      />
    </>
  );
}
