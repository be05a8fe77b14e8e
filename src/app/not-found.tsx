import { Compass } from 'lucide-react';
import { Button } from '#portal/ui/button.tsx';
import { EmptyState } from '#portal/ui/empty-state.tsx';
import { Wordmark } from '#portal/ui/logo.tsx';

export const metadata = { title: 'Page not found' };

export default function NotFound() {
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center">
      <h1 className="sr-only">Page not found</h1>
      <Wordmark />
      <EmptyState
        icon={Compass}
        title="There is no page here"
        description="The address may be mistyped, or what it showed is no longer yours to see."
        action={
          <Button asChild>
            {/* A plain one: every page loads what this one links with. */}
            <a href="/">Back to the start</a>
          </Button>
        }
      />
    </main>
  );
}
