import { Compass } from 'lucide-react';
import { BrokenLink } from '#web/ui/broken-link.tsx';
import { Button } from '#web/ui/button.tsx';

export const metadata = { title: 'Page not found' };

export default function NotFound() {
  return (
    <main className="mx-auto w-full max-w-lg px-4 py-6 md:py-12">
      <BrokenLink
        icon={Compass}
        title="There is no page here"
        what="The address may be mistyped, or what it showed is no longer yours to see."
        next="Go on from the start, or open the link again from where you have it."
        action={
          <Button asChild>
            {/* A plain link, because every page loads the code of this one. */}
            <a href="/">Back to the start</a>
          </Button>
        }
      />
    </main>
  );
}
