import { ExternalLink } from 'lucide-react';
import Link from 'next/link';
import type { Finding } from '#contract/integrations.ts';
import { Button } from '#web/ui/button.tsx';

/** Link to where a finding is fixed: a page of the portal, or the provider's in a new tab. */
export function FindingLink({ label, url }: NonNullable<Finding['link']>) {
  return (
    <Button asChild variant="link" size="sm">
      {url.startsWith('/') ? (
        <Link href={url}>{label}</Link>
      ) : (
        <a href={url} target="_blank" rel="noreferrer">
          {label}
          <ExternalLink aria-hidden />
        </a>
      )}
    </Button>
  );
}
